import { type DType, dtypes, rounded, type Scalar, showType, type TensorType, tensorOf } from "@tritype/core";
import { named } from "./arguments.ts";
import { carried, orderCarriers } from "./carrier.ts";
import { needNumeric } from "./dtype-rules.ts";
import { readElement } from "./element.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { Attributes, OnnxBuilder, Operator } from "./operator.ts";

/**
 * Attributes: `min` and `max`, as `readElement` reads them. An infinite bound has no effect. A bound that is too small
 * for the dtype (1e-9 in FP16) becomes the dtype's smallest positive number, so that dividing by the result stays
 * finite.
 */
export const clip: Operator = {
  name: "clip",
  readArguments: named("min", "max"),
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const bounds = needNumeric(x, 0) ?? readBounds(x, attributes);
    return "problem" in bounds ? bounds : single(x.dtype, x.dims);
  },
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const bounds = readBounds(type, attributes);
    if ("problem" in bounds || (bounds.min === undefined && bounds.max === undefined))
      return { out: builder.node("Identity", [name])[0] };
    const out = carried(builder, orderCarriers, type.dtype, [name], ([x = name], dtype) => {
      const min = boundInput(builder, dtype, bounds.min ?? openBound(dtype, -Infinity)) ?? "";
      const max = boundInput(builder, dtype, bounds.max ?? openBound(dtype, Infinity));
      return builder.node("Clip", max === undefined ? [x, min] : [x, min, max])[0];
    });
    return { out };
  },
};

interface Bounds {
  readonly min: Scalar | undefined;
  readonly max: Scalar | undefined;
}

const readBounds = (type: TensorType, attributes: Attributes): Bounds | Failed => {
  const min = readBound(type, attributes, "min", -Infinity);
  if (typeof min === "object") return min;
  const max = readBound(type, attributes, "max", Infinity);
  if (typeof max === "object") return max;
  if (min !== undefined && max !== undefined && min > max)
    return failed("dtype/out-of-range", `clip has the bounds ${min} and ${max}, but min is larger than max`);
  return { min, max };
};

const readBound = (
  type: TensorType,
  attributes: Attributes,
  which: "min" | "max",
  unbounded: number,
): Scalar | undefined | Failed => {
  const written = attributes[which];
  const number = typeof written === "string" ? Number(written) : written;
  if (number === unbounded) return undefined;
  if (Number.isNaN(number)) return failed("dtype/out-of-range", `NaN is not a valid ${which} of clip`);
  const read = readElement(type.dtype, written, showType(type));
  return read.problem === undefined ? read.value : read;
};

/** ONNX Runtime replaces a missing bound with the largest finite number, which would clip Infinity. */
const openBound = (dtype: DType, infinity: number): number | undefined =>
  dtypes[dtype].family === "float" ? infinity : undefined;

const boundInput = (builder: OnnxBuilder, dtype: DType, bound: Scalar | undefined): string | undefined => {
  if (bound === undefined) return undefined;
  const value =
    typeof bound === "number" && dtypes[dtype].family === "float" ? keptFromZero(dtype, bound) : bound;
  return builder.constant(tensorOf(dtype, [], [value]));
};

const keptFromZero = (dtype: DType, bound: number): number =>
  bound !== 0 && rounded(dtype, bound) === 0 ? Math.sign(bound) * smallest(dtype) : bound;
const smallest = (dtype: DType): number => (dtype === "FP16" ? 2 ** -24 : 2 ** -149);
