import { invariant, showDim, showType, tensorOf } from "@tritype/core";
import { named } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { castInto, castNode, rankCarriers } from "./carrier.ts";
import { spliceDims } from "./dims.ts";
import { needRanked } from "./dtype-rules.ts";
import { failed, operandAt } from "./inferred.ts";
import type { Operator } from "./operator.ts";
import { withoutEmpty } from "./without-empty.ts";

const accepts = needRanked("topK");

/**
 * Attributes: `k`, `axis`. Outputs: `values`, the `k` largest along the axis in descending order, and `indices`
 * (INT64), their positions. An axis of size 0 fails the run.
 */
export const topK: Operator = {
  name: "topK",
  readArguments: named("k", "axis"),
  infer(operands, { k, axis }) {
    const x = operandAt(operands, 0);
    const problem = accepts(x, 0);
    if (problem !== undefined) return problem;
    const resolved = resolveAxis(x.dims, axis);
    if (resolved.problem !== undefined) return resolved;
    const size = x.dims[resolved.axis] ?? -1;
    if (typeof k !== "number" || !Number.isInteger(k) || k < 1)
      return failed("shape/dim-mismatch", `topK takes a positive integer, got ${JSON.stringify(k)}`);
    if (typeof size === "number" && size !== -1 && k > size)
      return failed(
        "shape/dim-mismatch",
        `topK takes ${k} elements of axis ${resolved.axis} of ${showType(x)}, which has ${showDim(size)}`,
      );
    const dims = spliceDims(x.dims, resolved.axis, resolved.axis + 1, k);
    return { outputs: { values: { dtype: x.dtype, dims }, indices: { dtype: "INT64", dims } } };
  },
  outputs: () => ({ values: undefined, indices: "INT64" }),
  positions: (operands, { axis }) => ({
    output: "indices",
    axis: knownAxis(operandAt(operands, 0).dims, axis),
  }),
  mixes: (operands, { axis }) => [
    { operand: 0, axis: knownAxis(operandAt(operands, 0).dims, axis), verb: "reorders" },
  ],
  lower(builder, operands, { k, axis }) {
    const { type } = operandAt(operands, 0);
    const name = withoutEmpty(builder, operandAt(operands, 0));
    const inside = castInto(builder, rankCarriers, name, type.dtype);
    const count = builder.constant(tensorOf("INT64", [1], [Number(k)]));
    const attributes = { axis: { int: knownAxis(type.dims, axis) }, largest: { int: 1 }, sorted: { int: 1 } };
    const [values, indices] = builder.node("TopK", [inside, count], attributes, 2);
    invariant(indices !== undefined, "TopK has two outputs");
    return { values: inside === name ? values : castNode(builder, values, type.dtype), indices };
  },
};
