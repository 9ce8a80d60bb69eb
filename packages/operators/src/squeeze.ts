import { type Dim, showDim, showDims, tensorOf } from "@tritype/core";
import { named } from "./arguments.ts";
import { knownAxis, movedAxes, resolveAxis } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/** Attribute: `axis`, an axis of size 1, which is removed. If its size is unknown, it is checked at run time. */
export const squeeze: Operator = {
  name: "squeeze",
  readArguments: named("axis"),
  infer(operands, { axis }) {
    const x = operandAt(operands, 0);
    const resolved = resolveAxis(x.dims, axis);
    if (resolved.problem !== undefined) return resolved;
    const size = x.dims[resolved.axis] ?? -1;
    if (size !== 1 && size !== -1)
      return failed(
        "shape/dim-mismatch",
        `only an axis of size 1 can be removed: ${axis as Dim} of ${showDims(x.dims)} is ${showDim(size)}`,
        { operand: 0 },
      );
    return single(x.dtype, spliceDims(x.dims, resolved.axis, resolved.axis + 1));
  },
  mixes(operands, { axis }) {
    const { dims } = operandAt(operands, 0);
    return movedAxes(0, knownAxis(dims, axis) + 1, dims.length, -1);
  },
  padding([x], { axis }) {
    if (x === undefined) return { axes: [] };
    return { ...x.padding, axes: x.padding.axes.toSpliced(knownAxis(x.type.dims, axis), 1) };
  },
  lower(builder, operands, { axis }) {
    const { name, type } = operandAt(operands, 0);
    const axes = builder.constant(tensorOf("INT64", [1], [knownAxis(type.dims, axis)]));
    return { out: builder.node("Squeeze", [name, axes])[0] };
  },
};
