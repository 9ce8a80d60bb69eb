import type { TensorType } from "@tritype/core";
import { needArithmetic } from "./arithmetic.ts";
import { needBool } from "./dtype-rules.ts";
import { binary, unary } from "./elementwise.ts";
import { type Failed, failed } from "./inferred.ts";
import type { Operator } from "./operator.ts";

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

/** ONNX compares text from opset 19 on only. NaN is equal to nothing. */
export const eq: Operator = comparison("eq", "Equal", needEquality);
export const gt: Operator = comparison("gt", "Greater", needOrder);
export const ge: Operator = comparison("ge", "GreaterOrEqual", needOrder);
export const lt: Operator = comparison("lt", "Less", needOrder);
export const le: Operator = comparison("le", "LessOrEqual", needOrder);

const logical = (name: string, opType: string): Operator =>
  binary({
    name,
    accepts: needBool,
    asksBoth: true,
    emit: (builder, a, b) => builder.node(opType, [a, b])[0],
  });

export const and: Operator = logical("and", "And");
export const or: Operator = logical("or", "Or");
export const not: Operator = unary({
  name: "not",
  accepts: needBool,
  emit: (builder, x) => builder.node("Not", [x])[0],
});
