import type { DType, TensorType } from "@tritype/core";
import { needArithmetic } from "./arithmetic.ts";
import { needBool } from "./dtype-rules.ts";
import { castInto, equalCarriers } from "./carrier.ts";
import { binary, unary } from "./elementwise.ts";
import { type Failed, failed } from "./inferred.ts";
import type { OnnxBuilder, Operator } from "./operator.ts";

const needOrder = (type: TensorType, operand: number): Failed | undefined =>
  type.dtype === "BOOL"
    ? failed("dtype/not-supported", "BOOL has no order", { operand, help: "use .and(), .or() and .not()" })
    : needArithmetic(type, operand);
const needEquality = (type: TensorType, operand: number): Failed | undefined =>
  type.dtype === "BOOL" ? undefined : needArithmetic(type, operand);

const comparison = (
  name: string,
  opType: string,
  accepts: (type: TensorType, operand: number) => Failed | undefined,
): Operator =>
  binary({ name, accepts, result: "BOOL", emit: (builder, a, b) => builder.node(opType, [a, b])[0] });

const equal = (builder: OnnxBuilder, a: string, b: string, dtype: DType): string => {
  const inside = [a, b].map((name) => castInto(builder, equalCarriers, name, dtype));
  return builder.node("Equal", inside)[0];
};

/** ONNX compares text from opset 19 on only. NaN is equal to nothing. */
export const eq: Operator = binary({ name: "eq", accepts: needEquality, result: "BOOL", emit: equal });
/** NaN is unequal to everything, itself too. */
export const ne: Operator = binary({
  name: "ne",
  accepts: needEquality,
  result: "BOOL",
  emit: (builder, a, b, dtype) => builder.node("Not", [equal(builder, a, b, dtype)])[0],
});
export const gt: Operator = comparison("gt", "Greater", needOrder);
export const ge: Operator = comparison("ge", "GreaterOrEqual", needOrder);
export const lt: Operator = comparison("lt", "Less", needOrder);
export const le: Operator = comparison("le", "LessOrEqual", needOrder);

export const and: Operator = comparison("and", "And", needBool);
export const or: Operator = comparison("or", "Or", needBool);
export const xor: Operator = comparison("xor", "Xor", needBool);
export const not: Operator = unary({
  name: "not",
  accepts: needBool,
  emit: (builder, x) => builder.node("Not", [x])[0],
});
