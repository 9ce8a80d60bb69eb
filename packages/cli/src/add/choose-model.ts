import { posix } from "node:path";
import { showBytes } from "@tritype/hub";
import { usage } from "../command.ts";
import type { ModelSource, SourceFile } from "./model-source.ts";
import { cliError } from "../errors.ts";

/** The chosen ONNX file, and the candidates. */
export interface ChosenModel {
  readonly model: SourceFile;
  readonly others: readonly SourceFile[];
}

/**
 * The ONNX file in a source. If there are several files, the one that `--file` names, or otherwise `model.onnx`, first in `onnx/` and then
 * in the root.
 * @throws PipelineError `usage/invalid` if there are several files and none has that name, `file/not-found` if there is no file
 */
export const chooseModel = (source: ModelSource, wanted: string | undefined): ChosenModel => {
  const models = source.files.filter(({ path }) => path.endsWith(".onnx"));
  if (models.length === 0)
    throw cliError("model-file/none", { source: source.shown }, { help: source.exportHelp });
  const model = wanted === undefined ? byDefault(models, source) : named(models, wanted, source);
  return { model, others: models.filter((other) => other !== model) };
};

const byDefault = (models: readonly SourceFile[], { model, shown }: ModelSource): SourceFile => {
  const at = (path: string): SourceFile | undefined => models.find((file) => file.path === path);
  const plain = models.filter(({ path }) => posix.basename(path) === "model.onnx");
  const found =
    (model === undefined ? undefined : at(model)) ??
    at("onnx/model.onnx") ??
    at("model.onnx") ??
    (plain.length === 1 ? plain[0] : undefined) ??
    (models.length === 1 ? models[0] : undefined);
  if (found !== undefined) return found;
  throw usage(
    `${shown} has ${models.length} ONNX files, and none is clearly the model:\n${listed(models)}`,
    `pick one: --file ${models[0]?.path}`,
  );
};

/** By path, by name, or by the end of the name: `fp16` for `onnx/model_fp16.onnx`. */
const named = (models: readonly SourceFile[], wanted: string, { shown }: ModelSource): SourceFile => {
  const ways: readonly ((path: string) => boolean)[] = [
    (path) => path === wanted,
    (path) => posix.basename(path) === wanted,
    (path) => posix.basename(path, ".onnx") === wanted,
    (path) => posix.basename(path, ".onnx").endsWith(`_${wanted}`),
  ];
  const found =
    ways.map((way) => models.filter(({ path }) => way(path))).find((some) => some.length > 0) ?? [];
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw usage(
    first === undefined
      ? `--file is ${wanted}, but ${shown} has no such ONNX file; it has\n${listed(models)}`
      : `--file is ${wanted}, which fits several files:\n${listed(found)}`,
    `give the full path of one: --file ${(first ?? models[0])?.path}`,
  );
};

const listed = (files: readonly SourceFile[]): string =>
  files.map(({ path, size }) => `    ${path} (${showBytes(size)})`).join("\n");
