import type { ModelContext } from "../model-context.ts";
import { entryAt, onnxFiles, weightsPlace } from "../model/onnx-file.ts";
import { servedVersions } from "../model/served-versions.ts";
import { folderOf } from "../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../rule.ts";
import { labelPaths } from "./labels.ts";

export const unreadableFile: Rule = modelRule(
  {
    code: "repository/unreadable-file",
    judged: "live",
    atLoad: true,
    reason: "Triton opens a model's files as its own user; a model with an unreadable file does not load.",
    message: "cannot read `{file}` of `{model}`",
    help: "change its permissions: the check and Triton must both be able to read it",
  },
  (model, report) => {
    if (model.options.configsOnly === true) return;
    for (const file of new Set(neededFiles(model)))
      if (isUnreadable(model, file))
        report(
          { span: { file: `${folderOf(model)}/${file}`, line: 1, column: 1 }, text: "this file" },
          { file },
        );
  },
);

/** Whether a file exists but its first byte cannot be read. Missing files have their own findings. */
const isUnreadable = (model: ModelContext, file: string): boolean =>
  entryAt(model, file)?.kind === "file" && model.read(file, 1) === undefined;

/** Files in the model's folder that Triton opens to load the model. */
const neededFiles = (model: ModelContext): readonly string[] => [
  ...modelFiles(model),
  ...labelPaths(model),
  ...(model.config.model_warmup ?? []).flatMap(({ inputs = {} }) =>
    Object.values(inputs).flatMap(({ input_data_file: file }) => dataPath("warmup", file)),
  ),
  ...(model.config.sequence_batching?.state ?? []).flatMap(({ initial_state: states = [] }) =>
    states.flatMap(({ data_file: file }) => dataPath("initial_state", file)),
  ),
];

const modelFiles = (model: ModelContext): readonly string[] => {
  const { backend = "", default_model_filename: named } = model.config;
  if (backend === "onnxruntime")
    return onnxFiles(model).flatMap(({ path, found }) => [
      path,
      ...(found.kind === "graph" ? found.graph.signature.externalFiles : []).flatMap(
        (data) => weightsPlace(path, data) ?? [],
      ),
    ]);
  const file = named || (backend === "python" ? "model.py" : undefined);
  return file === undefined ? [] : servedVersions(model).map((version) => `${version}/${file}`);
};

const dataPath = (folder: string, file: string | undefined): readonly string[] =>
  file === undefined ? [] : [`${folder}/${file}`];
