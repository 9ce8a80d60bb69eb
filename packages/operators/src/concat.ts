import { type Dim, type Dims, showDims, showType } from "@tritype/core";
import { knownAxis, resolveAxis } from "./axis.ts";
import { equalDims, spliceDims } from "./dims.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/**
 * Attribute: `axis`, of the first operand. Takes any number of operands with the same dtype whose other dims are equal.
 */
export const concat: Operator = {
  name: "concat",
  infer(operands, attributes) {
    const first = operands[0];
    if (first === undefined)
      return failed("shape/rank-mismatch", "concat needs at least one tensor, got none");
    const resolved = resolveAxis(first.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    const { axis } = resolved;
    const without = (dims: Dims): Dims => spliceDims(dims, axis, axis + 1);
    let others = without(first.dims);
    for (const [operand, x] of operands.entries()) {
      if (x.dtype !== first.dtype)
        return failed(
          "dtype/mismatch",
          `${showType(x)}: all tensors of a concat must have the dtype of the first`,
          {
            operand,
            against: 0,
            help: `cast it, as in .cast(${first.dtype.toLowerCase()})`,
          },
        );
      const agreed = x.dims.length === first.dims.length ? equalDims(others, without(x.dims)) : undefined;
      if (agreed === undefined) return differs(showType(x), first.dims, x.dims, operand);
      others = agreed;
    }
    return single(
      first.dtype,
      spliceDims(others, axis, axis, joined(operands.map((x) => x.dims[axis] ?? -1))),
    );
  },
  mixes: (operands, attributes) => {
    const axis = knownAxis(operandAt(operands, 0).dims, attributes["axis"]);
    return operands.map((_, operand) => ({ operand, axis, verb: "joins along" }));
  },
  lower(builder, operands, attributes) {
    const names = operands.map((x) => x.name);
    const axis = knownAxis(operandAt(operands, 0).type.dims, attributes["axis"]);
    return { out: builder.node("Concat", names, { axis: { int: axis } })[0] };
  },
};

const differs = (shown: string, first: Dims, dims: Dims, operand: number): ReturnType<typeof failed> =>
  failed(
    first.length === dims.length ? "shape/dim-mismatch" : "shape/rank-mismatch",
    `${shown} differs from ${showDims(first)} outside the axis`,
    { operand, against: 0 },
  );

const joined = (sizes: readonly Dim[]): Dim => {
  const [only] = sizes;
  if (only !== undefined && sizes.length === 1) return only;
  let sum = 0;
  for (const size of sizes) {
    if (typeof size === "string" || size === -1) return -1;
    sum += size;
  }
  return sum;
};
