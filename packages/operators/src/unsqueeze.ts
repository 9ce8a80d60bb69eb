import { showDims, tensorOf } from "@tritype/core";
import { movedAxes } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Attributes, Operator } from "./operator.ts";

/** Attribute: `axis`, where the new axis of size 1 stands in the result: a number in [-rank - 1, rank]. */
export const unsqueeze: Operator = {
  name: "unsqueeze",
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const { axis } = attributes;
    if (typeof axis !== "number" || !Number.isInteger(axis))
      return failed("axis/unknown", `a new axis has a number, got ${JSON.stringify(axis)}`);
    const rank = x.dims.length;
    if (axis < -rank - 1 || axis > rank)
      return failed(
        "axis/out-of-range",
        `axis ${axis} is outside ${showDims(x.dims)} with one axis more: its axes are ${-rank - 1} to ${rank}`,
      );
    const place = newAxis(rank, attributes);
    return single(x.dtype, spliceDims(x.dims, place, place, 1));
  },
  mixes(operands, attributes) {
    const rank = operandAt(operands, 0).dims.length;
    return movedAxes(0, newAxis(rank, attributes), rank, 1);
  },
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const axes = builder.constant(tensorOf("INT64", [1], [newAxis(type.dims.length, attributes)]));
    return { out: builder.node("Unsqueeze", [name, axes])[0] };
  },
};

const newAxis = (rank: number, { axis }: Attributes): number =>
  Number(axis) < 0 ? Number(axis) + rank + 1 : Number(axis);
