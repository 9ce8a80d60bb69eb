import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { FieldPath, ModelConfig } from "@tritype/triton";
import { nearFileHelp } from "../files/near-file.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnose } from "../diagnostics.ts";
import type { StepModel, StepVersion } from "../step-kind.ts";
import { hashFile, type Tree, type TreeFile } from "../tree.ts";
import { labelsAt, type PlaceOf } from "./field-places.ts";

/**
 * The fields that name files, each with the folder in the model's folder where Triton looks for the files; undefined
 * means every version's folder. `*` represents every element of a list or map.
 */
const fileFields: readonly (readonly [path: readonly string[], folder: string | undefined])[] = [
  [["output", "*", "label_filename"], ""],
  [["sequence_batching", "state", "*", "initial_state", "*", "data_file"], "initial_state/"],
  [["cc_model_filenames", "*"], undefined],
  [["model_operations", "op_library_filename", "*"], undefined],
];

interface ConfigFiles {
  /** The configuration with the file names used in the model's folder. */
  readonly config: ModelConfig;
  /** Paths relative to the model's folder. */
  readonly files: Tree;
  /** Paths relative to a version's folder. */
  readonly versionFiles: Tree;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Copies the project's files named by the author's fields to where Triton looks for them.
 * @param model The other files in the version folders, whose names are taken.
 * @param placeOf The position at which a field is written.
 */
export const configFiles = (
  step: StepDefinition,
  config: ModelConfig,
  model: StepModel,
  host: CompilerHost,
  placeOf: PlaceOf,
): ConfigFiles => {
  const files = new Map<string, TreeFile>();
  const versionFiles = new Map<string, TreeFile>();
  const diagnostics: Diagnostic[] = [];
  const place = (from: string, at: FieldPath, folder: string | undefined): string => {
    const bytes = host.readFile(from);
    if (bytes === undefined) {
      diagnostics.push(
        diagnose("model/file-not-found", {
          with: { step: step.name, file: from },
          labels: labelsAt(step, placeOf(at)),
          ...nearFileHelp(host, from),
        }),
      );
      return from;
    }
    const file = { kind: "copy", from, bytes } as const;
    const hash = hashFile(file, host);
    const [tree, others] = folder === undefined ? [versionFiles, ofVersions(model)] : [files, ofModel];
    const isFree = (name: string): boolean =>
      [...others, ...tree].every(
        ([path, other]) => path !== `${folder ?? ""}${name}` || (other && hashFile(other, host)) === hash,
      );
    const name = namesOf(from, hash).find(isFree) ?? from;
    const path = `${folder ?? ""}${name}`;
    if (!tree.has(path)) tree.set(path, file);
    return name;
  };
  let placed: unknown = config;
  for (const [path, folder] of fileFields)
    placed = mapAt(placed, path, (file, at) => place(file, at, folder));
  return { config: placed as ModelConfig, files, versionFiles, diagnostics };
};

type Taken = readonly (readonly [path: string, file: TreeFile | undefined])[];

const ofModel: Taken = [["config.pbtxt", undefined]];
const ofVersions = ({ files, prepared = [], versions = new Map() }: StepModel): Taken =>
  [{ files, prepared }, ...versions.values()].flatMap((version: StepVersion) => [
    ...version.files,
    ...(version.prepared ?? []).map(({ path }) => [path, undefined] as const),
  ]);

/** Its own name, or longer ones for files of the same name: `labels.txt`, `intent_labels.txt`, … */
const namesOf = (file: string, hash: string): readonly string[] => {
  const parts = file.split("/").filter((part) => !/^\.*$/.test(part));
  return [
    ...parts.map((_, index) => parts.slice(-1 - index).join("_")),
    `${hash.slice(0, 8)}_${parts.at(-1)}`,
  ];
};

type MapFile = (file: string, at: FieldPath) => string;

const mapAt = (value: unknown, path: readonly string[], map: MapFile, at: FieldPath = []): unknown => {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === "string" ? map(value, at) : value;
  if (Array.isArray(value))
    return key === "*" ? value.map((item: unknown, index) => mapAt(item, rest, map, [...at, index])) : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      key === "*" || key === name ? mapAt(item, rest, map, [...at, name]) : item,
    ]),
  );
};
