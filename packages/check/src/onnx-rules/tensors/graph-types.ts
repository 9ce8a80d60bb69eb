import type { ModelContext } from "../../model-context.ts";
import { modelRule, type Rule } from "../../rule.ts";
import { replacementOf, showKind } from "@tritype/onnx";
import { castsTo, type GraphTensor, type OnnxGraph, onnxFiles, showTensor } from "../../model/onnx-file.ts";

interface PlacedTensor {
  readonly path: string;
  readonly side: "input" | "output";
  readonly tensor: GraphTensor;
}

const tensorsOf = (model: ModelContext): readonly PlacedTensor[] =>
  onnxFiles(model).flatMap(({ path, found }) =>
    found.kind === "graph" ? sidesOf(found.graph).map((placed) => ({ path, ...placed })) : [],
  );

const sidesOf = ({ inputs, overridable, outputs }: OnnxGraph) => [
  ...[...inputs, ...overridable].map((tensor) => ({ side: "input" as const, tensor })),
  ...outputs.map((tensor) => ({ side: "output" as const, tensor })),
];

const notATensor = modelRule(
  {
    code: "onnx-model/not-a-tensor",
    judged: "source",
    message: "{side} `{tensor}` of `{model}` is {kind} in `{file}`; Triton only has tensors",
    reason:
      "The ONNX Runtime backend reads the types of all inputs and outputs at load, including those that are not listed.",
  },
  (model, report) => {
    for (const { path, side, tensor } of tensorsOf(model))
      if (tensor.kind !== "tensor" && tensor.kind !== "unknown")
        report(model.at([side], `\`${path}\` is loaded`), {
          side,
          tensor: tensor.name,
          kind: showKind(tensor.kind),
          file: path,
          help: replacementOf(tensor, side),
        });
  },
);

const complex = new Set([14, 15]);

const complexElements = modelRule(
  {
    code: "onnx-model/complex-elements",
    triton: ["57"],
    judged: "recorded",
    message: "{side} `{tensor}` of `{model}` is {type} in `{file}`; ONNX Runtime has no complex numbers",
    help: "split it into real and imaginary parts inside the model",
    reason: "ONNX Runtime refuses to load a graph with complex tensors, regardless of the configuration.",
  },
  (model, report) => {
    for (const { path, side, tensor } of tensorsOf(model))
      if (complex.has(tensor.onnxType))
        report(model.at([side], `\`${path}\` is loaded`), {
          side,
          tensor: tensor.name,
          type: showTensor(tensor),
          file: path,
        });
  },
);

const float4 = 23;

const noKernel = modelRule(
  {
    code: "onnx-model/no-float4-cast",
    judged: "recorded",
    message: "{side} `{tensor}` of `{model}` is {type} in `{file}`; ONNX Runtime cannot cast to it",
    help: "keep 4-bit floats inside the model as quantized weights",
    reason:
      "The type is part of the standard, but ONNX Runtime cannot cast to it, and does not load a graph with an operator that it cannot run.",
  },
  (model, report) => {
    for (const { path, side, tensor } of tensorsOf(model))
      if (side === "output" && tensor.onnxType === float4 && castsTo(model, path, float4))
        report(model.at([side], `\`${path}\` is loaded`), {
          side,
          tensor: tensor.name,
          type: showTensor(tensor),
          file: path,
        });
  },
);

/** Graphs that ONNX Runtime or its backend cannot load at all. */
export const graphTypeRules: readonly Rule[] = [notATensor, complexElements, noKernel];
