import { type DType, tensorOf, type TensorType } from "@tritype/core";
import { named, optionsOf } from "./arguments.ts";
import { carried, halfCarriers } from "./carrier.ts";
import { lacks, needFloat } from "./dtype-rules.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { OnnxBuilder, Operator } from "./operator.ts";

/**
 * Attribute: `approximation`. "none" is 0.5·x·(1 + erf(x/√2)), which ONNX Runtime supports for FP16 and FP32; "tanh" is
 * 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))). -Infinity gives NaN, as in PyTorch. (ONNX has Gelu from opset 20 on.)
 */
export const gelu: Operator = {
  name: "gelu",
  readArguments: ([options]) => named("approximation")([optionsOf(options)["approximation"] ?? "none"]),
  infer(operands, { approximation }) {
    const x = operandAt(operands, 0);
    const problem = needFloat(x, 0) ?? formProblem(x, approximation);
    return problem ?? single(x.dtype, x.dims);
  },
  lower(builder, operands, { approximation }) {
    const { name, type } = operandAt(operands, 0);
    const inner = approximation === "tanh" ? tanhTerm : erfTerm;
    const out = carried(builder, halfCarriers, type.dtype, [name], ([x = name], dtype) => {
      const [sum] = builder.node("Add", [inner(builder, x, dtype), number(builder, dtype, 1)]);
      const [half] = builder.node("Mul", [x, number(builder, dtype, 0.5)]);
      return builder.node("Mul", [half, sum])[0];
    });
    return { out };
  },
};

const formProblem = (x: TensorType, approximation: unknown): Failed | undefined => {
  if (approximation !== "none" && approximation !== "tanh")
    return failed(
      "operator/bad-option",
      `the approximations are "none" and "tanh", got ${JSON.stringify(approximation)}`,
    );
  return approximation === "none" && x.dtype === "FP64" ? lacks(x, "erf", 0) : undefined;
};

const erfTerm = (builder: OnnxBuilder, x: string, dtype: DType): string => {
  const [scaled] = builder.node("Mul", [x, number(builder, dtype, Math.SQRT1_2)]);
  return builder.node("Erf", [scaled])[0];
};

const tanhTerm = (builder: OnnxBuilder, x: string, dtype: DType): string => {
  const [square] = builder.node("Mul", [x, x]);
  const [cube] = builder.node("Mul", [square, x]);
  const [bent] = builder.node("Mul", [cube, number(builder, dtype, 0.044715)]);
  const [sum] = builder.node("Add", [x, bent]);
  const [scaled] = builder.node("Mul", [sum, number(builder, dtype, Math.sqrt(2 / Math.PI))]);
  return builder.node("Tanh", [scaled])[0];
};

const number = (builder: OnnxBuilder, dtype: DType, value: number): string =>
  builder.constant(tensorOf(dtype, [], [value]));
