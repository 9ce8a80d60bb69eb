import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GenerateOptions, GenerateSearch } from "@tritype/dsl";
import { exportsFolder, hostOf, type Options } from "./generate-model.ts";

/** The answers of transformers' `generate`; see README.md of the fixtures. */
interface GoldenFile {
  readonly tokens: Readonly<Record<string, number>>;
  readonly cases: readonly GoldenCase[];
}
export interface GoldenCase {
  readonly name: string;
  /** The options passed to `generate`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly rows: readonly {
    readonly input_ids: readonly number[];
    readonly forced_bos_token_id?: number;
    /** Best first; with beams, each with its score. */
    readonly sequences?: readonly { readonly tokens: readonly number[]; readonly score?: number }[];
    /** For a sampled row: the distribution from which each token was drawn. */
    readonly log_probs?: readonly (readonly (readonly [id: number, value: number])[])[];
    readonly tokens?: readonly number[];
  }[];
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** An exported model and transformers' answers with it. */
export interface GoldenModel {
  readonly name: string;
  /** Path from the root. */
  readonly folder: string;
  readonly goldens: GoldenFile;
}

const readModel = (name: string, folder: string, goldens = `${folder}/goldens.json`): GoldenModel => ({
  name,
  folder,
  goldens: JSON.parse(readFileSync(join(root, goldens), "utf8")) as GoldenFile,
});

export const readGoldens = (folder: string): GoldenFile => readModel(folder, folder).goldens;

/**
 * Random weights of many families; a barely trained translation model, whose beams differ from its greedy answer, and
 * the trained one.
 */
export const goldenModels = (): readonly GoldenModel[] => [
  ...readdirSync(join(root, exportsFolder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readModel(name, folderOf(name)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  readModel("m2m100 barely trained", `${translation}/test/rough`),
  readModel("m2m100", `${translation}/models/fp32`, `${translation}/test/goldens.json`),
];

const translation = "examples/m2m100-translation";

/** The ways in which a folder's files can be run. */
export const variantsOf = (folder: string): readonly (readonly [name: string, options: Options])[] => {
  const file = (name: string): string | undefined =>
    existsSync(join(root, folder, name)) ? `${folder}/${name}` : undefined;
  const merged = file("decoder_model_merged.onnx") ?? file("model.onnx");
  const decoder = file("decoder_model.onnx");
  const decoderWithPast = file("decoder_with_past_model.onnx");
  return [
    ...(merged === undefined ? [] : [["merged", { from: folder, decoder: merged }] as const]),
    ...(decoder === undefined || decoderWithPast === undefined
      ? []
      : [["split", { from: folder, decoder, decoderWithPast }] as const]),
  ];
};

/** A case as options of a step; the compiler reads its tokens and options from generation_config.json. */
export const stepOfCase = (
  folder: string,
  variant: Options,
  { tokens }: GoldenFile,
  { options, rows }: GoldenCase,
): readonly [Options, ReturnType<typeof hostOf>] => {
  const beams = Number(options["num_beams"] ?? 1);
  const search: GenerateSearch =
    beams > 1
      ? { kind: "beam", beams, returnSequences: Number(options["num_return_sequences"] ?? 1), scores: true }
      : { kind: "greedy" };
  const step: Partial<GenerateOptions> = {
    ...variant,
    search,
    ...(rows.some((row) => row.forced_bos_token_id !== undefined)
      ? { perRequest: ["forced_bos_token_id"] }
      : {}),
  };
  const said = JSON.stringify({ ...tokens, ...options });
  return [step, hostOf({ [`${folder}/generation_config.json`]: said })];
};

export const folderOf = (model: string): string => `${exportsFolder}/${model}`;
