import { named } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { needFloat } from "./dtype-rules.ts";
import { operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/** Attribute: `axis`. The elements along the axis become positive and add up to 1. */
export const softmax: Operator = {
  name: "softmax",
  readArguments: named("axis"),
  infer(operands, { axis }) {
    const x = operandAt(operands, 0);
    const problem = needFloat(x, 0);
    if (problem !== undefined) return problem;
    const resolved = resolveAxis(x.dims, axis);
    return resolved.problem === undefined ? single(x.dtype, x.dims) : resolved;
  },
  mixes: (operands, { axis }) => [
    { operand: 0, axis: knownAxis(operandAt(operands, 0).dims, axis), verb: "normalizes over" },
  ],
  padding([x], { axis }) {
    if (x === undefined) return { axes: [] };
    const at = knownAxis(x.type.dims, axis);
    const isMasked = x.padding.axes[at] === -Infinity;
    return { axes: x.type.dims.map((_, i) => (i === at && isMasked ? 0 : undefined)) };
  },
  ignoresPadding: ({ axis }, [x]) => x?.padding.axes[axis] === -Infinity,
  lower(builder, operands, { axis }) {
    const { name, type } = operandAt(operands, 0);
    return { out: builder.node("Softmax", [name], { axis: { int: knownAxis(type.dims, axis) } })[0] };
  },
};
