import { type TensorType, tensorOf } from "@tritype/core";
import { castNode } from "./carrier.ts";
import type { OnnxBuilder, OnnxValue } from "./operator.ts";

/**
 * The unchanged operand of an op that crashes ONNX Runtime's process on an axis of size 0 (SIGFPE or SIGSEGV; Einsum
 * and TopK, up to 1.30). For such an axis, Gather reads an element that does not exist, so that the run fails; the
 * Reshape copies nothing.
 */
export const withoutEmpty = (builder: OnnxBuilder, { name, type }: OnnxValue): string => {
  if (!canBeEmpty(type)) return name;
  const zero = builder.constant(tensorOf("INT64", [1], [0]));
  const [shape] = builder.node("Shape", [name]);
  const [isEmpty] = builder.node("Equal", [shape, zero]);
  const picks = castNode(builder, isEmpty, "INT64");
  const [zeros] = builder.node("Gather", [zero, picks], { axis: { int: 0 } });
  return builder.node("Reshape", [name, builder.node("Add", [shape, zeros])[0]])[0];
};

const canBeEmpty = ({ dims }: TensorType): boolean => dims.some((dim) => typeof dim === "string" || dim < 1);
