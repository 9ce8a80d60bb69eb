import { type Dims, type Json, showDims } from "@tritype/core";
import { axesNamed } from "./dims.ts";
import { type Failed, failed } from "./inferred.ts";
import type { MixedAxis } from "./operator.ts";

/** An axis, counted from the front, or the reason why it does not exist. */
export type ResolvedAxis = { readonly axis: number; readonly problem?: undefined } | Failed;

/** An axis given by a name of the shape, or by a number in [-rank, rank). */
export const resolveAxis = (dims: Dims, axis: Json | undefined): ResolvedAxis => {
  if (typeof axis === "string") return resolveName(dims, axis);
  if (typeof axis !== "number" || !Number.isInteger(axis))
    return failed(
      "axis/unknown",
      `an axis must be a name or a whole number, got ${JSON.stringify(axis)}`,
      Array.isArray(axis)
        ? { help: "give one axis; to reduce several, call the operator once for each" }
        : {},
    );
  const rank = dims.length;
  if (rank === 0) return failed("axis/out-of-range", `axis ${axis} is outside []: a scalar has no axes`);
  if (axis < -rank || axis >= rank)
    return failed(
      "axis/out-of-range",
      `axis ${axis} is outside ${showDims(dims)}: its axes are ${-rank} to ${rank - 1}`,
    );
  return { axis: axis < 0 ? axis + rank : axis };
};

const resolveName = (dims: Dims, name: string): ResolvedAxis => {
  const [axis, ...others] = axesNamed(dims, name);
  if (axis === undefined) return failed("axis/unknown", `no dim named ${name} in ${showDims(dims)}`);
  if (others.length > 0)
    return failed(
      "axis/ambiguous",
      `${name} names axes ${[axis, ...others].join(" and ")} of ${showDims(dims)}`,
      {
        help: "give the axis by its number",
      },
    );
  return { axis };
};

/** The axis of a type that `infer` has accepted. */
export const knownAxis = (dims: Dims, axis: Json | undefined): number => {
  const resolved = resolveAxis(dims, axis);
  return resolved.problem === undefined ? resolved.axis : Number.NaN;
};

/** Position of a new axis in the result: a number in [-rank - 1, rank]. */
export const resolveNewAxis = (dims: Dims, axis: Json | undefined): ResolvedAxis => {
  if (typeof axis !== "number" || !Number.isInteger(axis))
    return failed("axis/unknown", `a new axis must be a number, got ${JSON.stringify(axis)}`);
  const rank = dims.length;
  if (axis < -rank - 1 || axis > rank)
    return failed(
      "axis/out-of-range",
      `axis ${axis} is out of range for ${showDims(dims)} plus the new axis: use ${-rank - 1} to ${rank}`,
    );
  return { axis: axis < 0 ? axis + rank + 1 : axis };
};

/** The new axis of a type that `infer` has accepted. */
export const knownNewAxis = (dims: Dims, axis: Json | undefined): number => {
  const resolved = resolveNewAxis(dims, axis);
  return resolved.problem === undefined ? resolved.axis : Number.NaN;
};

/** The axes from `start` to `end` (exclusive) when an operator moves them by `shift` positions. */
export const movedAxes = (
  operand: number,
  start: number,
  end: number,
  shift: number,
): readonly MixedAxis[] =>
  shift === 0
    ? []
    : Array.from({ length: Math.max(0, end - start) }, (_, i) => ({
        operand,
        axis: start + i,
        verb: "moves",
      }));
