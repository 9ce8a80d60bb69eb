import { modelRule, type Rule } from "../../rule.ts";
import { isCompleted } from "../../completion/complete-onnx.ts";
import { judgedGraphs, matchedRows } from "./judged-graphs.ts";
import { onnxFiles, shapeText, showTensor } from "../../model/onnx-file.ts";

const optionalInBatch = modelRule(
  {
    code: "onnx-model/optional-with-batching",
    triton: ["52"],
    judged: "recorded",
    words:
      "unable to load model '{model}', optional input '{tensor}' is not supported for models that support batching",
    message: "input `{tensor}` of `{model}` is optional, which needs max_batch_size 0; it is {size}",
    help: "set max_batch_size to 0, or make the input required",
    reason: "Requests that have the input could not share a batch with requests that do not.",
  },
  (model, report) => {
    const judged = judgedGraphs(model).map(({ config }) => config);
    const alone = model.config.backend === "onnxruntime" && onnxFiles(model).length === 0;
    const config = judged[0] ?? (alone && !isCompleted(model) ? model.config : undefined);
    const size = config?.max_batch_size ?? 0;
    if (size <= 0) return;
    (config?.input ?? []).forEach(({ name = "", optional }, index) => {
      if (optional === true) report(model.at(["input", index, "optional"], "here"), { tensor: name, size });
    });
  },
);

const raggedShape = modelRule(
  {
    code: "onnx-model/ragged-shape",
    disputesTensors: true,
    triton: ["53"],
    judged: "recorded",
    words:
      "unable to load model '{model}', configuration expects model provides input with shape [-1]  for ragged input '{tensor}', model provides {found:shape}",
    message: "ragged input `{tensor}` of `{model}` must have shape [-1], but is {actual} in `{file}`",
    help: "export the model with one dynamic axis for it, and add a batch_input that separates the rows",
    reason: "The ragged inputs of a batch are concatenated without padding into one dimension.",
  },
  (model, report) => {
    for (const judged of judgedGraphs(model))
      for (const { index, name, ragged, tensor } of matchedRows(judged)) {
        if (!ragged || tensor === undefined) continue;
        if (tensor.dims.length === 1 && tensor.dims[0] === -1) continue;
        report(model.at(["input", index, "allow_ragged_batch"], "here"), {
          tensor: name,
          actual: showTensor(tensor),
          file: judged.path,
          found: shapeText(tensor.dims),
        });
      }
  },
);

const raggedOptional = modelRule(
  {
    code: "onnx-model/ragged-optional",
    triton: ["53"],
    judged: "recorded",
    message:
      "input `{tensor}` of `{model}` is both ragged and optional, which the ONNX Runtime backend does not support",
    help: "remove one of them",
    reason: "A missing input has no rows that could be concatenated with the others.",
  },
  (model, report) => {
    if (model.config.backend !== "onnxruntime") return;
    (model.config.input ?? []).forEach(({ name = "", optional, allow_ragged_batch: ragged }, index) => {
      if (optional === true && ragged === true)
        report(model.at(["input", index, "allow_ragged_batch"], "here"), { tensor: name });
    });
  },
);

/** Optional and ragged inputs on the ONNX Runtime backend. */
export const optionalAndRaggedRules: readonly Rule[] = [optionalInBatch, raggedShape, raggedOptional];
