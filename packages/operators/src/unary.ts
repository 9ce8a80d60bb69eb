import { dtypes, type TensorType, tensorOf } from "@tritype/core";
import { carried, orderCarriers } from "./carrier.ts";
import { needFloat, needNumeric } from "./dtype-rules.ts";
import { unary } from "./elementwise.ts";
import { type Failed, failed } from "./inferred.ts";
import type { Operator } from "./operator.ts";

const plain = (
  name: string,
  opType: string,
  accepts: (type: TensorType, operand: number) => Failed | undefined,
): Operator => unary({ name, accepts, emit: (builder, x) => builder.node(opType, [x])[0] });

const isUnsigned = (type: Pick<TensorType, "dtype">): boolean => dtypes[type.dtype].range?.[0] === 0n;

const needSigned = (type: TensorType, operand: number): Failed | undefined =>
  needNumeric(type, operand) ??
  (isUnsigned(type)
    ? failed("dtype/not-supported", `${type.dtype} has no negative numbers`, {
        operand,
        help: "cast it first, as in .cast(int64)",
      })
    : undefined);

export const abs: Operator = plain("abs", "Abs", needNumeric);
export const neg: Operator = plain("neg", "Neg", needSigned);
export const sqrt: Operator = plain("sqrt", "Sqrt", needFloat);
export const exp: Operator = plain("exp", "Exp", needFloat);
/** The natural logarithm. */
export const log: Operator = plain("log", "Log", needFloat);
export const tanh: Operator = plain("tanh", "Tanh", needFloat);
export const sigmoid: Operator = plain("sigmoid", "Sigmoid", needFloat);

/** ONNX Runtime has Relu for few integers; `max(x, 0)` says the same for all. */
export const relu: Operator = unary({
  name: "relu",
  accepts: needNumeric,
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

/** Used where a graph needs a second name for a value. */
export const identity: Operator = unary({
  name: "identity",
  accepts: () => undefined,
  emit: (builder, x) => builder.node("Identity", [x])[0],
});
