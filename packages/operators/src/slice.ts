import { type Dim, type Json, tensorOf } from "@tritype/core";
import { named } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/**
 * Attributes: `axis`, `start`, `end` (exclusive; default: to the end). Negative positions count from the end; all
 * positions are clamped.
 */
export const slice: Operator = {
  name: "slice",
  readArguments: named("axis", "start", "end"),
  infer(operands, { axis, start, end }) {
    const x = operandAt(operands, 0);
    const resolved = resolveAxis(x.dims, axis);
    if (resolved.problem !== undefined) return resolved;
    if (!isPosition(start) || !(isPosition(end) || isAbsent(end)))
      return failed(
        "axis/out-of-range",
        `slice needs integers, got ${JSON.stringify(isPosition(start) ? end : start)}`,
      );
    const size = sliced(x.dims[resolved.axis] ?? -1, start, isAbsent(end) ? undefined : end);
    return single(x.dtype, spliceDims(x.dims, resolved.axis, resolved.axis + 1, size));
  },
  mixes: (operands, { axis }) => [
    { operand: 0, axis: knownAxis(operandAt(operands, 0).dims, axis), verb: "slices" },
  ],
  lower(builder, operands, { axis, start, end }) {
    const { name, type } = operandAt(operands, 0);
    const bounds = [start, isAbsent(end) ? toTheEnd : end, knownAxis(type.dims, axis)];
    const inputs = bounds.map((value) => builder.constant(tensorOf("INT64", [1], [BigInt(value as number)])));
    return { out: builder.node("Slice", [name, ...inputs])[0] };
  },
};

/** In ONNX, a position past the end means the end. */
const toTheEnd = (2n ** 63n - 1n).toString();

const isPosition = (position: Json | undefined): position is number => Number.isSafeInteger(position);
const isAbsent = (position: Json | undefined): position is undefined | null =>
  position === undefined || position === null;

const sliced = (size: Dim, start: number, end: number | undefined): Dim => {
  if (typeof size === "string" && start === 0 && end === undefined) return size;
  if (typeof size === "string" || size === -1) return -1;
  const place = (position: number): number =>
    Math.min(size, Math.max(0, position < 0 ? position + size : position));
  return Math.max(0, place(end ?? size) - place(start));
};
