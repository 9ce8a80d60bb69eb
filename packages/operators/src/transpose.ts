import { type Dims, showDims } from "@tritype/core";
import { rest } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Attributes, Operator } from "./operator.ts";

/** Attribute: `axes`, which contains every axis once. `axes[i]` becomes axis `i`. */
export const transpose: Operator = {
  name: "transpose",
  readArguments: rest("axes"),
  infer(operands, { axes }) {
    const x = operandAt(operands, 0);
    const shown = showDims(x.dims);
    const rank = x.dims.length;
    if (!Array.isArray(axes) || axes.length !== rank)
      return failed("shape/rank-mismatch", `transpose of ${shown} needs ${rank} axes`);
    const order: number[] = [];
    for (const axis of axes) {
      const resolved = resolveAxis(x.dims, axis);
      if (resolved.problem !== undefined) return resolved;
      order.push(resolved.axis);
    }
    if (new Set(order).size !== rank)
      return failed("axis/out-of-range", `transpose of ${shown} must list every axis once`);
    return single(
      x.dtype,
      order.map((axis) => x.dims[axis] ?? -1),
    );
  },
  mixes: (operands, attributes) =>
    orderOf(operandAt(operands, 0).dims, attributes).flatMap((axis, i) =>
      axis === i ? [] : [{ operand: 0, axis, verb: "moves" }],
    ),
  padding([x], attributes) {
    if (x === undefined) return { axes: [] };
    return { ...x.padding, axes: orderOf(x.type.dims, attributes).map((axis) => x.padding.axes[axis]) };
  },
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const ints = orderOf(type.dims, attributes);
    return { out: builder.node("Transpose", [name], ints.length === 0 ? {} : { perm: { ints } })[0] };
  },
};

const orderOf = (dims: Dims, { axes }: Attributes): readonly number[] =>
  Array.isArray(axes) ? axes.map((axis) => knownAxis(dims, axis)) : [];
