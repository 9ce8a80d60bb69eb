import { modelRule, type Rule } from "../rule.ts";
import { failsToComplete, fixedTensor, isCompleted } from "../completion/complete-onnx.ts";
import { judgedGraphs } from "./tensors/judged-graphs.ts";
import { onnxFiles, showTensor } from "../model/onnx-file.ts";

const batching = modelRule(
  {
    code: "onnx-model/completion-without-batching",
    disputesTensors: true,
    triton: ["61"],
    judged: "recorded",
    words:
      "autofill failed for model '{model}': model does not support batching while non-zero max_batch_size is specified",
    message:
      "`{model}` has max_batch_size {size}, but `{tensor}` is {type} in `{file}`: the graph has no batch dimension",
    help: "export the model with a dynamic first axis, set max_batch_size to 0, or list both inputs and outputs",
    reason:
      "If inputs or outputs are omitted, the backend fills them in from the graph, and then every tensor of the graph must begin with -1.",
  },
  (model, report) => {
    for (const { path, found } of onnxFiles(model)) {
      if (found.kind !== "graph" || !failsToComplete(model, found.graph)) continue;
      const tensor = fixedTensor(found.graph);
      if (tensor === undefined) continue;
      report(model.at(["max_batch_size"], "enables batching"), {
        size: model.config.max_batch_size ?? 0,
        tensor: tensor.name,
        type: showTensor(tensor),
        file: path,
      });
    }
  },
);

const unusable = modelRule(
  {
    code: "onnx-model/completed-tensor-unusable",
    disputesTensors: true,
    triton: ["38", "40"],
    judged: "recorded",
    words: {
      type: "model {side} '{tensor}' must specify 'data_type' for {model}",
      dims: "model {side} '{tensor}' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for {model}",
    },
    message:
      "{side} `{tensor}` of `{model}` is {type} in `{file}`; the configuration cannot be completed from it",
    help: "list the {side}s that you need in the configuration, or export the model with a type and sizes that Triton supports",
    reason:
      "Auto-completion copies the graph's types and sizes into the configuration; a type that has no name in Triton, or a size of 0, is then refused as if you had written it.",
  },
  (model, report) => {
    if (!isCompleted(model)) return;
    for (const { path, config, graph } of judgedGraphs(model))
      for (const side of ["input", "output"] as const) {
        if (model.config[side]?.length) continue;
        (config[side] ?? []).forEach(({ data_type, dims = [] }, index) => {
          const tensor = graph[`${side}s`][index];
          if (tensor === undefined) return;
          if (data_type !== "TYPE_INVALID" && dims.every((dim) => dim > 0 || dim === -1)) return;
          report(model.at([side], `no ${side}s are listed`), {
            side,
            tensor: tensor.name,
            type: showTensor(tensor),
            file: path,
            words: data_type === "TYPE_INVALID" ? "type" : "dims",
          });
        });
      }
  },
);

/** Errors that occur when the backend fills in inputs and outputs. */
export const autoCompleteRules: readonly Rule[] = [batching, unusable];
