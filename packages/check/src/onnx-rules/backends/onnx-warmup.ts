import { activeInstances } from "@tritype/triton";
import type { FieldPath, ModelContext, RepositoryContext } from "../../model-context.ts";
import { repositoryRule, type Rule } from "../../rule.ts";
import { judgedGraphs } from "../tensors/judged-graphs.ts";
import { dataFile } from "../../model/data-file.ts";

interface WarmupTensor {
  readonly sample: string;
  readonly input: string;
  readonly path: FieldPath;
  /** The path of its string data in the model's folder. */
  readonly stringFile: string | undefined;
}

/** Inputs of the samples that run. */
const warmupTensors = ({ config }: ModelContext): readonly WarmupTensor[] => {
  if (activeInstances(config).length === 0) return [];
  return (config.model_warmup ?? []).flatMap(({ name, batch_size = 0, inputs = {} }, index) =>
    batch_size === 0
      ? []
      : Object.entries(inputs).map(([input, { data_type, input_data_file: file = "" }]) => ({
          sample: name || String(index),
          input,
          path: ["model_warmup", index, "inputs", input],
          stringFile: data_type === "TYPE_STRING" && file !== "" ? dataFile("warmup", file) : undefined,
        })),
  );
};

const onnxModels = ({ models, options }: RepositoryContext): readonly ModelContext[] =>
  options.configsOnly === true
    ? []
    : [...models.values()].flatMap(({ model }) => (model.config.backend === "onnxruntime" ? [model] : []));

const notInGraph = repositoryRule(
  {
    code: "warmup/not-in-graph",
    triton: ["138"],
    judged: "recorded",
    message:
      "warmup sample `{sample}` of `{model}` contains `{input}`, which `{file}` does not have: the load fails, or the server crashes",
    help: "remove the input from the sample",
    reason:
      "Inputs that the configuration does not list reach the backend unchanged. The ONNX Runtime backend fails on names that are not in the graph, sometimes with a segmentation fault.",
  },
  (repository, report) => {
    for (const model of onnxModels(repository)) {
      const tensors = warmupTensors(model);
      for (const { path: file, graph } of tensors.length === 0 ? [] : judgedGraphs(model)) {
        const names = new Set([...graph.inputs, ...graph.overridable].map(({ name }) => name));
        for (const { sample, input, path } of tensors)
          if (!names.has(input))
            report(model.at(path, "not in the graph"), { sample, model: model.name, input, file });
      }
    }
  },
);

/** Bytes; larger files are not scanned. */
const largestFile = 64 * 2 ** 20;

const cutOff = repositoryRule(
  {
    code: "warmup/string-cut-off",
    triton: ["142"],
    judged: "recorded",
    message:
      "warmup sample `{sample}` of `{model}`: the last string for `{input}` in `{file}` is cut off: it should have {length} bytes, but has {found}",
    help: "write each string as its length in bytes, a 4-byte little-endian number, and then its bytes",
    reason:
      "Triton's core only counts the strings; the ONNX Runtime backend parses them and refuses the sample.",
  },
  (repository, report) => {
    for (const model of onnxModels(repository))
      for (const { sample, input, path, stringFile: file } of warmupTensors(model)) {
        const bytes = file === undefined ? undefined : model.read(file, largestFile);
        const rest = bytes === undefined || bytes.length === largestFile ? undefined : cutOffString(bytes);
        if (file === undefined || rest === undefined) continue;
        report(model.at([...path, "input_data_file"], "ends too early"), {
          sample,
          input,
          file,
          model: model.name,
          ...rest,
        });
      }
  },
);

const cutOffString = (bytes: Uint8Array): { readonly length: number; readonly found: number } | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = view.getUint32(at, true);
    const found = bytes.length - at - 4;
    if (found < length) return { length, found };
    at += 4 + length;
  }
  return undefined;
};

/** Warmup samples that the ONNX Runtime backend refuses but the core accepts. */
export const onnxWarmupRules: readonly Rule[] = [notInGraph, cutOff];
