import { modelRule, type Rule } from "../../rule.ts";
import { sequenceControls } from "./input-count.ts";
import { judgedGraphs, showNames } from "./judged-graphs.ts";
import { onnxTypeName, shapeText, showTensor } from "../../model/onnx-file.ts";

const unknown = modelRule(
  {
    code: "onnx-model/unknown-control",
    triton: ["90"],
    judged: "recorded",
    words: "configuration specified sequence control '{tensor}', but model does not provide that input",
    message: "sequence control `{tensor}` of `{model}` is not an input of `{file}`, which has {names}",
    help: "name an input of the graph, or remove the control: no control is required",
    reason: "Triton fills in control tensors itself, so the graph must have them as inputs.",
  },
  (model, report) => {
    for (const { path, graph, config } of judgedGraphs(model))
      for (const { index, name } of sequenceControls(config.sequence_batching))
        if (!graph.inputs.some((tensor) => tensor.name === name))
          report(model.at(["sequence_batching", "control_input", index, "name"], "not in the graph"), {
            tensor: name,
            file: path,
            names: showNames(graph.inputs),
          });
  },
);

const mismatch = modelRule(
  {
    code: "onnx-model/control-mismatch",
    triton: ["90"],
    judged: "recorded",
    words: {
      dims: "unable to load model '{model}', sequence control '{tensor}' in model has dims {found:shape} but dims {wanted:shape} is expected",
      type: "unable to load model '{model}', sequence control '{tensor}', the model expects data-type {found} but the model configuration specifies data-type {wanted}",
    },
    message: "sequence control `{tensor}` of `{model}` must be {expected}, but is {actual} in `{file}`",
    help: "export the model with that type, or choose values of the graph's type for the control, or that `data_type`",
    reason:
      "A control tensor has one value for each request, so its shape is [1] after the batch dimension, and its type is the control's.",
  },
  (model, report) => {
    for (const { path, graph, config } of judgedGraphs(model))
      for (const { index, name, dataType } of sequenceControls(config.sequence_batching)) {
        const tensor = graph.inputs.find((one) => one.name === name);
        if (tensor === undefined) continue;
        const batched = (config.max_batch_size ?? 0) > 0;
        const own = tensor.dims.slice(batched ? 1 : 0);
        const shaped = own.length === 1 && own[0] === 1;
        if (shaped && tensor.dataType === dataType) continue;
        const expected = `${dataType.replace("TYPE_", "")}${batched ? "[-1, 1]" : "[1]"}`;
        const [found, wanted] = shaped ? [onnxTypeName(tensor), dataType] : [shapeText(own), "[1]"];
        report(model.at(["sequence_batching", "control_input", index], expected), {
          tensor: name,
          expected,
          actual: showTensor(tensor),
          file: path,
          found,
          wanted,
          words: shaped ? "type" : "dims",
        });
      }
  },
);

/** Compares sequence controls with the graph; Triton does not compare states. */
export const sequenceControlRules: readonly Rule[] = [unknown, mismatch];
