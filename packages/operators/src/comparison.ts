import { type DType, type TensorType, tensorOf } from "@tritype/core";
import { needArithmetic } from "./arithmetic.ts";
import { needBool } from "./dtype-rules.ts";
import { arithmeticCarriers, castInto } from "./carrier.ts";
import { binary, unary } from "./elementwise.ts";
import { type Failed, failed } from "./inferred.ts";
import type { OnnxBuilder, Operator } from "./operator.ts";
import { type Evaluate, known } from "./padding.ts";

const needOrder = (type: TensorType, operand: number): Failed | undefined =>
  type.dtype === "BOOL"
    ? failed("dtype/not-supported", "BOOL values cannot be ordered", {
        operand,
        help: "use .and(), .or() and .not()",
      })
    : needArithmetic(type, operand);
const needEquality = (type: TensorType, operand: number): Failed | undefined =>
  type.dtype === "BOOL" ? undefined : needArithmetic(type, operand);

/** The operands in a dtype that every version of ONNX Runtime can compare. */
type Compared = (builder: OnnxBuilder, name: string, dtype: DType) => string;

const truth = (holds: (a: number, b: number) => boolean): Evaluate => known((a, b) => (holds(a, b) ? 1 : 0));

const comparison = (
  name: string,
  opType: string,
  accepts: (type: TensorType, operand: number) => Failed | undefined,
  compared: Compared,
  holds: (a: number, b: number) => boolean,
): Operator =>
  binary({
    name,
    accepts,
    result: "BOOL",
    evaluate: truth(holds),
    emit: (builder, a, b, dtype) =>
      builder.node(
        opType,
        [a, b].map((operand) => compared(builder, operand, dtype)),
      )[0],
  });

const distinct: Compared = (builder, name, dtype) => castInto(builder, arithmeticCarriers, name, dtype);

/** UINT64 cast to INT64 keeps its order if the sign bit is flipped. */
const ordered: Compared = (builder, name, dtype) => {
  const inside = distinct(builder, name, dtype);
  if (dtype !== "UINT64") return inside;
  return builder.node("Add", [inside, builder.constant(tensorOf("INT64", [], [-(2n ** 63n)]))])[0];
};

/** ONNX compares text only from opset 19 on. NaN is not equal to anything. */
export const eq: Operator = comparison("eq", "Equal", needEquality, distinct, (a, b) => a === b);
/** NaN is unequal to everything, including itself. */
export const ne: Operator = binary({
  name: "ne",
  accepts: needEquality,
  result: "BOOL",
  evaluate: truth((a, b) => a !== b),
  emit(builder, a, b, dtype) {
    const operands = [a, b].map((operand) => distinct(builder, operand, dtype));
    return builder.node("Not", [builder.node("Equal", operands)[0]])[0];
  },
});
export const gt: Operator = comparison("gt", "Greater", needOrder, ordered, (a, b) => a > b);
export const ge: Operator = comparison("ge", "GreaterOrEqual", needOrder, ordered, (a, b) => a >= b);
export const lt: Operator = comparison("lt", "Less", needOrder, ordered, (a, b) => a < b);
export const le: Operator = comparison("le", "LessOrEqual", needOrder, ordered, (a, b) => a <= b);

const logical = (name: string, opType: string, evaluate: Evaluate): Operator =>
  binary({
    name,
    accepts: needBool,
    asksBoth: true,
    evaluate,
    emit: (builder, a, b) => builder.node(opType, [a, b])[0],
  });

export const and: Operator = logical("and", "And", (a, b) =>
  a === 0 || b === 0 ? 0 : known(Math.min)(a, b),
);
export const or: Operator = logical("or", "Or", (a, b) => (a === 1 || b === 1 ? 1 : known(Math.max)(a, b)));
export const xor: Operator = logical(
  "xor",
  "Xor",
  truth((a, b) => a !== b),
);
export const not: Operator = unary({
  name: "not",
  accepts: needBool,
  evaluate: (x) => 1 - x,
  emit: (builder, x) => builder.node("Not", [x])[0],
});
