import { type DType, dtypes, type TensorType, tensorOf } from "@tritype/core";
import { type Carriers, carried, orderCarriers, powCarriers } from "./carrier.ts";
import { lacks } from "./dtype-rules.ts";
import { binary } from "./elementwise.ts";
import { type Failed, failed } from "./inferred.ts";
import type { OnnxBuilder, Operator } from "./operator.ts";

/** @returns a problem for BYTES and BOOL. */
export const needArithmetic = (type: TensorType, operand: number): Failed | undefined => {
  const { family } = dtypes[type.dtype];
  if (family === "int" || family === "float") return undefined;
  return failed("dtype/not-supported", `${type.dtype} has no arithmetic`, {
    operand,
    help: family === "bool" ? "cast it first, as in .cast(fp32)" : "work on text in a step",
  });
};

const plain = (name: string, opType: string, carriers: Carriers = {}): Operator =>
  binary({
    name,
    accepts: needArithmetic,
    emit: (builder, a, b, dtype) =>
      carried(builder, carriers, dtype, [a, b], (inputs) => builder.node(opType, inputs)[0]),
  });

/** Integers wrap around in `add`, `sub` and `mul`. */
export const add: Operator = plain("add", "Add");
export const sub: Operator = plain("sub", "Sub");
export const mul: Operator = plain("mul", "Mul");
export const minimum: Operator = plain("minimum", "Min", orderCarriers);
export const maximum: Operator = plain("maximum", "Max", orderCarriers);

/**
 * Integers are divided towards zero (7 / -2 = -3), and a zero divisor fails the run, both as in ONNX Runtime. The smallest
 * integer divided by -1 wraps to itself; ONNX Runtime's own Div raises SIGFPE there for INT32 and INT64.
 */
export const div: Operator = binary({
  name: "div",
  accepts: needArithmetic,
  emit: (builder, a, b, dtype) => quotient(builder, a, b, dtype),
});

const quotient = (builder: OnnxBuilder, a: string, b: string, dtype: DType): string =>
  dtype === "INT32" || dtype === "INT64" ? guardedDiv(builder, a, b, dtype) : builder.node("Div", [a, b])[0];

/**
 * What `div` leaves, with the sign of the dividend, as JavaScript's `%` (-7 mod 2 = -1). Of integers it is exact and a zero
 * divisor fails the run; ONNX Runtime's own Mod computes them in double precision and raises SIGFPE for a zero.
 */
export const mod: Operator = binary({
  name: "mod",
  accepts: needArithmetic,
  emit(builder, a, b, dtype) {
    if (dtypes[dtype].family === "float") return builder.node("Mod", [a, b], { fmod: { int: 1 } })[0];
    const [whole] = builder.node("Mul", [quotient(builder, a, b, dtype), b]);
    return builder.node("Sub", [a, whole])[0];
  },
});

const guardedDiv = (builder: OnnxBuilder, a: string, b: string, dtype: DType): string => {
  const [minusOne, one] = [-1, 1].map((value) => builder.constant(tensorOf(dtype, [], [value]))) as [
    string,
    string,
  ];
  const [negates] = builder.node("Equal", [b, minusOne]);
  const [divisor] = builder.node("Where", [negates, one, b]);
  const [quotient] = builder.node("Div", [a, divisor]);
  const [negated] = builder.node("Neg", [a]);
  return builder.node("Where", [negates, negated, quotient])[0];
};

/**
 * Integer powers are computed in double precision by ONNX Runtime: exact up to 2^53, undefined where the result does not fit;
 * a negative exponent gives 0.
 */
export const pow: Operator = binary({
  name: "pow",
  accepts: (type, operand) =>
    needArithmetic(type, operand) ?? (type.dtype === "UINT64" ? lacks(type, "pow", operand) : undefined),
  emit: (builder, a, b, dtype) =>
    carried(builder, powCarriers, dtype, [a, b], (inputs) => builder.node("Pow", inputs)[0]),
});
