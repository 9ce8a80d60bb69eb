import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryFolder } from "@tritype/wheels";
import type { CompiledBuild } from "@tritype/compiler";
import { fileOnDisk, lendTreeFile } from "@tritype/project";
import { cacheFolder, makeOnnxVariant, type OnnxVariantKind } from "@tritype/tritonserver";
import { type Given, usage } from "../command.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { unknownName } from "../unknown-name.ts";
import { modelFileIn, type Replacements } from "./open-variant.ts";
import { quantizedOperators } from "./quantized-operators.ts";

const kinds: readonly string[] = ["fp16", "int8"] satisfies OnnxVariantKind[];

/** `--make`. @throws PipelineError `usage/invalid` */
export const madeKind = (given: Given): OnnxVariantKind | undefined => {
  const kind = given.text("make");
  if (kind === undefined || kinds.includes(kind)) return kind as OnnxVariantKind | undefined;
  throw usage(`--make is ${kind}`, `use one of ${kinds.join(", ")}`);
};

/**
 * Creates the variant of one file in the cache, and prints its size.
 * @throws PipelineError `usage/invalid` for a file that is already quantized.
 */
export const makeFileVariant = async (
  source: string,
  kind: OnnxVariantKind,
  terminal: Terminal,
  shown: string = basename(source),
): Promise<string> => {
  const file = fileOnDisk(source);
  const quantized = file === undefined ? [] : quantizedOperators(file);
  if (quantized.length > 0)
    throw usage(
      `${shown} is already quantized (${quantized.join(", ")}): there is no ${kind} variant of it`,
      "start from the original float model, or choose steps that are not quantized",
    );
  const made = await makeOnnxVariant(source, kind, {
    cache: cacheFolder(terminal.env),
    notice: noticeOf(terminal),
    env: terminal.env,
  });
  terminal.note(
    `${terminal.colors.green("made")} ${kind} of ${shown}: ${megabytes(statSync(made).size)}, before ${megabytes(statSync(source).size)}`,
  );
  return made;
};

const megabytes = (bytes: number): string => `${Number((bytes / 1e6).toPrecision(3))} MB`;

/** Creates variants of a build's ONNX steps in the cache; keys are model names. @param steps Default: all of them. */
export const makeModelVariants = async (
  { manifest, tree }: CompiledBuild,
  steps: readonly string[],
  kind: OnnxVariantKind,
  terminal: Terminal,
): Promise<Replacements> => {
  const all = manifest.models.filter((model) => model.kind === "onnx").map(({ name }) => name);
  if (all.length === 0)
    throw usage("the project has no ONNX step to convert", "name two variants to compare");
  const unknown = steps.find((step) => !all.includes(step));
  if (unknown !== undefined) throw unknownName("ONNX step", unknown, all);
  const made = new Map<string, string>();
  for (const model of steps.length > 0 ? steps : all) {
    const path = modelFileIn(tree, model);
    if (path === undefined) continue;
    const { path: folder, remove } = temporaryFolder("tritype-make-");
    try {
      // The file together with the external data next to it.
      for (const [beside, file] of tree)
        if (dirname(beside) === dirname(path)) lendTreeFile(join(folder, basename(beside)), file);
      made.set(model, await makeFileVariant(join(folder, basename(path)), kind, terminal, model));
    } finally {
      remove();
    }
  }
  return made;
};
