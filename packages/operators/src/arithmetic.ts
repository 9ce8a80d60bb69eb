import { type DType, dtypes, type TensorType, tensorOf } from "@tritype/core";
import { apart, isScaled } from "./apart.ts";
import {
  arithmeticCarriers,
  type Carriers,
  carried,
  castNode,
  orderCarriers,
  powCarriers,
} from "./carrier.ts";
import { tinyQuotients } from "./doubt.ts";
import { lacks } from "./dtype-rules.ts";
import { binary } from "./elementwise.ts";
import { type Failed, failed } from "./inferred.ts";
import type { OnnxBuilder, Operator } from "./operator.ts";
import { type Evaluate, known } from "./padding.ts";

/** @returns a problem for BYTES and BOOL. */
export const needArithmetic = (type: TensorType, operand: number): Failed | undefined => {
  const { family } = dtypes[type.dtype];
  if (family === "int" || family === "float") return undefined;
  return failed("dtype/not-supported", `${type.dtype} does not support arithmetic`, {
    operand,
    help: family === "bool" ? "cast it first, as in .cast(fp32)" : "work on text in a step",
  });
};

const plain = (name: string, opType: string, carriers: Carriers, evaluate: Evaluate): Operator =>
  binary({
    name,
    accepts: needArithmetic,
    evaluate,
    emit: (builder, a, b, dtype) =>
      carried(builder, carriers, dtype, [a, b], (inputs) => builder.node(opType, inputs)[0]),
  });

/** Integers wrap around in `add`, `sub` and `mul`. */
export const add: Operator = plain(
  "add",
  "Add",
  arithmeticCarriers,
  known((a, b) => a + b),
);
export const sub: Operator = plain(
  "sub",
  "Sub",
  arithmeticCarriers,
  known((a, b) => a - b),
);
/** 0 times an unknown value is assumed to be 0, because models do not produce infinities from padding. */
export const mul: Operator = apart(
  plain("mul", "Mul", arithmeticCarriers, (a, b) => (a === 0 || b === 0 ? 0 : known((x, y) => x * y)(a, b))),
  isScaled,
);
export const minimum: Operator = plain("minimum", "Min", orderCarriers, known(Math.min));
export const maximum: Operator = plain("maximum", "Max", orderCarriers, known(Math.max));

const needDivisible =
  (name: string) =>
  (type: TensorType, operand: number): Failed | undefined =>
    needArithmetic(type, operand) ?? (type.dtype === "UINT64" ? lacks(type, name, operand) : undefined);

/**
 * Integer division rounds towards zero (7 / -2 = -3). A zero divisor fails the run, and the smallest integer divided by
 * -1 wraps to itself.
 */
export const div: Operator = {
  ...apart(
    binary({
      name: "div",
      accepts: needDivisible("div"),
      emit: (builder, a, b, dtype) => quotient(builder, a, b, dtype),
    }),
    isScaled,
  ),
  doubt: tinyQuotients,
};

/**
 * The remainder of `div`, with the sign of the dividend. JavaScript's `%` does the same (-7 % 2 = -1). Exact for
 * integers, unlike ONNX Runtime's Mod.
 */
export const mod: Operator = binary({
  name: "mod",
  accepts: needDivisible("mod"),
  emit(builder, a, b, dtype) {
    if (dtypes[dtype].family === "float") return builder.node("Mod", [a, b], { fmod: { int: 1 } })[0];
    return carried(builder, arithmeticCarriers, dtype, [a, b], ([x = a, y = b], inside) => {
      const [whole] = builder.node("Mul", [quotient(builder, x, y, inside), y]);
      return builder.node("Sub", [x, whole])[0];
    });
  },
});

const quotient = (builder: OnnxBuilder, a: string, b: string, dtype: DType): string =>
  dtypes[dtype].family === "float"
    ? builder.node("Div", [a, b])[0]
    : carried(builder, arithmeticCarriers, dtype, [a, b], ([x = a, y = b], inside) =>
        guardedDiv(builder, x, y, inside),
      );

/**
 * Integer Div crashes the process with SIGFPE for a zero divisor (up to ONNX Runtime 1.19) and for the smallest integer
 * divided by -1. Here, a zero divisor makes Gather read an element that does not exist, and a divisor of -1 negates the value.
 */
const guardedDiv = (builder: OnnxBuilder, a: string, b: string, dtype: DType): string => {
  const [minusOne, zero, one] = [-1, 0, 1].map((value) => builder.constant(tensorOf(dtype, [], [value]))) as [
    string,
    string,
    string,
  ];
  const [isZero] = builder.node("Equal", [b, zero]);
  const onlyZero = builder.constant(tensorOf(dtype, [1], [0]));
  const [zeros] = builder.node("Gather", [onlyZero, castNode(builder, isZero, "INT32")], {
    axis: { int: 0 },
  });
  const [safe] = builder.node("Add", [b, zeros]);
  const [negates] = builder.node("Equal", [safe, minusOne]);
  const [divisor] = builder.node("Where", [negates, one, safe]);
  const [divided] = builder.node("Div", [a, divisor]);
  const [negated] = builder.node("Neg", [a]);
  return builder.node("Where", [negates, negated, divided])[0];
};

/**
 * ONNX Runtime computes integer powers in double precision. They are exact up to 2^53, and undefined if the result does
 * not fit; a negative exponent gives 0.
 */
export const pow: Operator = binary({
  name: "pow",
  accepts: (type, operand) =>
    needArithmetic(type, operand) ?? (type.dtype === "UINT64" ? lacks(type, "pow", operand) : undefined),
  emit: (builder, a, b, dtype) =>
    carried(builder, powCarriers, dtype, [a, b], (inputs) => builder.node("Pow", inputs)[0]),
});
