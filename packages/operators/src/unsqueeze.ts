import { tensorOf } from "@tritype/core";
import { named } from "./arguments.ts";
import { knownNewAxis, movedAxes, resolveNewAxis } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/** Attribute: `axis`, the position of the new axis of size 1 in the result, a number in [-rank - 1, rank]. */
export const unsqueeze: Operator = {
  name: "unsqueeze",
  readArguments: named("axis"),
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const resolved = resolveNewAxis(x.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    return single(x.dtype, spliceDims(x.dims, resolved.axis, resolved.axis, 1));
  },
  mixes(operands, attributes) {
    const { dims } = operandAt(operands, 0);
    return movedAxes(0, knownNewAxis(dims, attributes["axis"]), dims.length, 1);
  },
  padding([x], attributes) {
    if (x === undefined) return { axes: [] };
    const axis = knownNewAxis(x.type.dims, attributes["axis"]);
    return { ...x.padding, axes: x.padding.axes.toSpliced(axis, 0, undefined) };
  },
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const axes = builder.constant(tensorOf("INT64", [1], [knownNewAxis(type.dims, attributes["axis"])]));
    return { out: builder.node("Unsqueeze", [name, axes])[0] };
  },
};
