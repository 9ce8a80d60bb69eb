import { dtypes, type TensorType, tensorOf } from "@tritype/core";
import { carried, halfCarriers, orderCarriers } from "./carrier.ts";
import { lacks, needFloat, needNumeric } from "./dtype-rules.ts";
import { unary } from "./elementwise.ts";
import { type Failed, failed } from "./inferred.ts";
import type { Operator } from "./operator.ts";

const plain = (
  name: string,
  opType: string,
  accepts: (type: TensorType, operand: number) => Failed | undefined,
  evaluate?: (x: number) => number,
): Operator =>
  unary({
    name,
    accepts,
    emit: (builder, x) => builder.node(opType, [x])[0],
    ...(evaluate === undefined ? {} : { evaluate }),
  });

const isUnsigned = (type: Pick<TensorType, "dtype">): boolean => dtypes[type.dtype].range?.[0] === 0n;

const needSigned = (type: TensorType, operand: number): Failed | undefined =>
  needNumeric(type, operand) ??
  (isUnsigned(type)
    ? failed("dtype/not-supported", `${type.dtype} has no negative numbers`, {
        operand,
        help: "cast it first, as in .cast(int64)",
      })
    : undefined);

export const abs: Operator = plain("abs", "Abs", needNumeric, Math.abs);
export const neg: Operator = unary({
  name: "neg",
  accepts: needSigned,
  evaluate: (x) => -x,
  emit: (builder, x, dtype) =>
    carried(builder, orderCarriers, dtype, [x], (inputs) => builder.node("Neg", inputs)[0]),
});
export const sqrt: Operator = plain("sqrt", "Sqrt", needFloat, Math.sqrt);
export const exp: Operator = plain("exp", "Exp", needFloat, Math.exp);
/** The natural logarithm. */
export const log: Operator = plain("log", "Log", needFloat);
export const tanh: Operator = plain("tanh", "Tanh", needFloat, Math.tanh);
export const sigmoid: Operator = plain("sigmoid", "Sigmoid", needFloat);
export const floor: Operator = plain("floor", "Floor", needFloat, Math.floor);
export const ceil: Operator = plain("ceil", "Ceil", needFloat, Math.ceil);
/** Rounds to the nearest whole number, with halves to even: 0.5 becomes 0, and 1.5 and 2.5 become 2. */
export const round: Operator = plain("round", "Round", needFloat);

/** -1, 0 or 1; NaN stays NaN. */
export const sign: Operator = unary({
  name: "sign",
  accepts: needNumeric,
  emit: (builder, x, dtype) =>
    carried(builder, halfCarriers, dtype, [x], (inputs) => builder.node("Sign", inputs)[0]),
});

/** The error function. Up to ONNX Runtime 1.19, Erf returns 1 for NaN. */
export const erf: Operator = unary({
  name: "erf",
  accepts: (type, operand) =>
    needFloat(type, operand) ?? (type.dtype === "FP64" ? lacks(type, "erf", operand) : undefined),
  emit(builder, x) {
    const [isNaN] = builder.node("IsNaN", [x]);
    const [value] = builder.node("Erf", [x]);
    return builder.node("Where", [isNaN, x, value])[0];
  },
});

/** ONNX Runtime supports Relu for only a few integer dtypes; `max(x, 0)` is the same for all. */
export const relu: Operator = unary({
  name: "relu",
  accepts: needNumeric,
  evaluate: (x) => Math.max(x, 0),
  emit(builder, x, dtype) {
    if (dtypes[dtype].family === "float") return builder.node("Relu", [x])[0];
    if (isUnsigned({ dtype })) return builder.node("Identity", [x])[0];
    return carried(
      builder,
      orderCarriers,
      dtype,
      [x],
      (inputs, inside) => builder.node("Max", [...inputs, builder.constant(tensorOf(inside, [], [0]))])[0],
    );
  },
});

/** Gives a value a second name in a graph. */
export const identity: Operator = {
  ...unary({
    name: "identity",
    accepts: () => undefined,
    evaluate: (x) => x,
    emit: (builder, x) => builder.node("Identity", [x])[0],
  }),
  readArguments: undefined,
  copies: true,
};
