import { type Dim, tensorOf } from "@tritype/core";
import { named } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/** Attributes: `axis`, `times`. Repeats the elements along the axis this many times. */
export const tile: Operator = {
  name: "tile",
  readArguments: named("axis", "times"),
  infer(operands, { axis, times }) {
    const x = operandAt(operands, 0);
    const resolved = resolveAxis(x.dims, axis);
    if (resolved.problem !== undefined) return resolved;
    if (!Number.isSafeInteger(times) || Number(times) < 1)
      return failed(
        "operator/bad-option",
        `tile must repeat a whole number of times, at least 1, got ${JSON.stringify(times)}`,
      );
    const size = repeated(x.dims[resolved.axis] ?? -1, Number(times));
    return single(x.dtype, spliceDims(x.dims, resolved.axis, resolved.axis + 1, size));
  },
  mixes: (operands, { axis }) => [
    { operand: 0, axis: knownAxis(operandAt(operands, 0).dims, axis), verb: "repeats" },
  ],
  lower(builder, operands, { axis, times }) {
    const { name, type } = operandAt(operands, 0);
    const at = knownAxis(type.dims, axis);
    const repeats = type.dims.map((_, i) => (i === at ? Number(times) : 1));
    return {
      out: builder.node("Tile", [name, builder.constant(tensorOf("INT64", [repeats.length], repeats))])[0],
    };
  },
};

const repeated = (size: Dim, times: number): Dim => {
  if (times === 1) return size;
  return typeof size === "number" && size !== -1 ? size * times : -1;
};
