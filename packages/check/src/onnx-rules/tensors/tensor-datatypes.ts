import { dtypeOfConfigName, dtypes } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { judgedGraphs, matchedRows } from "./judged-graphs.ts";
import { type GraphTensor, showTensor } from "../../model/onnx-file.ts";

const writtenRows = ({ config }: ModelContext) =>
  config.backend === "onnxruntime"
    ? (["input", "output"] as const).flatMap((side) =>
        (config[side] ?? []).map(({ name = "", data_type }, index) => ({ side, index, name, data_type })),
      )
    : [];

const bfloat16 = modelRule(
  {
    code: "onnx-model/bf16",
    disputesTensors: true,
    triton: ["57"],
    judged: "recorded",
    words: "unsupported datatype TYPE_BF16 for {side} '{tensor}' for model '{model}'",
    message:
      "{side} `{tensor}` of `{model}` has data_type TYPE_BF16, which the ONNX Runtime backend does not support",
    help: "cast to FP32 or FP16 inside the model, or target 26.03 or newer",
    reason:
      "Triton supports this type, but the backend does not map it to an ONNX type and refuses the configuration.",
  },
  (model, report) => {
    for (const { side, index, name, data_type } of writtenRows(model))
      if (data_type === "TYPE_BF16")
        report(model.at([side, index, "data_type"], "here"), { side, tensor: name });
  },
);

const number = modelRule(
  {
    code: "onnx-model/numeric-data-type",
    disputesTensors: true,
    triton: ["4", "57"],
    judged: "recorded",
    words: "attempt to access JSON non-string as string",
    message: "{side} `{tensor}` of `{model}` has data_type {number}, which is not assigned to a type",
    help: "write the type by name, such as TYPE_FP32",
    reason:
      "Triton's core accepts undefined numbers, but the ONNX Runtime backend needs a name and fails with `attempt to access JSON non-string as string`.",
  },
  (model, report) => {
    for (const { side, index, name, data_type } of writtenRows(model))
      if (typeof data_type === "number")
        report(model.at([side, index, "data_type"], "here"), { side, tensor: name, number: data_type });
  },
);

const mismatch = modelRule(
  {
    code: "onnx-model/wrong-data-type",
    disputesTensors: true,
    triton: ["57"],
    judged: "recorded",
    words:
      "unable to load model '{model}', configuration expects datatype {expected} for {side} '{tensor}', model provides {found}",
    message: "{side} `{tensor}` of `{model}` has data_type {expected}, but is {actual} in `{file}`",
    help: "write the graph's type",
    reason: "Triton does not convert data: the bytes of a request reach ONNX Runtime unchanged.",
  },
  (model, report) => {
    for (const judged of judgedGraphs(model))
      for (const { side, index, name, dataType, tensor } of matchedRows(judged)) {
        if (tensor === undefined || dataType === tensor.dataType || !isNamed(dataType)) continue;
        if (dataType === "TYPE_BF16" && tensor.onnxType === dtypes.BF16.onnxType) continue;
        report(model.at([side, index, "data_type"], "here"), {
          side,
          tensor: name,
          expected: dataType,
          actual: showTensor(tensor),
          found: `TYPE_${graphType(tensor)}`,
          file: judged.path,
        });
      }
  },
);

/** The type as the backend prints it: the protocol's name, which differs from the configuration's name for strings. */
const graphType = ({ dataType }: GraphTensor): string =>
  dataType === undefined ? "<invalid>" : (dtypeOfConfigName(dataType) ?? dataType);

/** A row without a data type, or with a number, has its own diagnostic. */
const isNamed = (dataType: string): boolean => dataType.startsWith("TYPE_") && dataType !== "TYPE_INVALID";

/** Compares `data_type` with the graph. */
export const tensorDatatypeRules: readonly Rule[] = [bfloat16, number, mismatch];
