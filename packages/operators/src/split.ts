import { type Dim, type Dims, type Json, showType, type TensorType, tensorOf } from "@tritype/core";
import { named } from "./arguments.ts";
import { knownAxis, resolveAxis } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { type Failed, failed, operandAt } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/**
 * Attributes: `axis` and `parts`, a number of equal parts or the size of each part. Outputs `0`, `1`, …, in the order of the
 * axis. Sizes that do not add up to an axis of unknown size fail the run.
 */
export const split: Operator = {
  name: "split",
  readArguments: (args) => ({ ...named("axis", "parts")(args), listed: true }),
  infer(operands, { axis, parts }) {
    const x = operandAt(operands, 0);
    const resolved = resolveAxis(x.dims, axis);
    if (resolved.problem !== undefined) return resolved;
    const sizes = sizesOf(x, resolved.axis, parts);
    if ("problem" in sizes) return sizes;
    const part = (size: Dim): Dims => spliceDims(x.dims, resolved.axis, resolved.axis + 1, size);
    return {
      outputs: Object.fromEntries(sizes.map((size, i) => [String(i), { dtype: x.dtype, dims: part(size) }])),
    };
  },
  outputs: ({ parts }) => Object.fromEntries(partNames(parts).map((name) => [name, undefined])),
  mixes: (operands, { axis }) => [
    { operand: 0, axis: knownAxis(operandAt(operands, 0).dims, axis), verb: "splits" },
  ],
  lower(builder, operands, { axis, parts }) {
    const { name, type } = operandAt(operands, 0);
    const sizes = Array.isArray(parts) ? [builder.constant(tensorOf("INT64", [parts.length], parts))] : [];
    const attributes = { axis: { int: knownAxis(type.dims, axis) } };
    const names = partNames(parts);
    const values = builder.node("Split", [name, ...sizes], attributes, names.length);
    return Object.fromEntries(names.map((output, i) => [output, values[i] ?? ""]));
  },
};

/** ONNX Runtime creates a value for each part; this limit is higher than any handwritten value. */
const mostParts = 1024;

const partNames = (parts: Json | undefined): readonly string[] => {
  const count = Array.isArray(parts) ? parts.length : isSize(parts) ? parts : 1;
  return Array.from({ length: Math.min(count, mostParts) }, (_, i) => String(i));
};

const isSize = (size: Json | undefined): size is number => Number.isSafeInteger(size) && Number(size) >= 1;
const isSizes = (sizes: readonly Json[]): sizes is readonly number[] => sizes.every(isSize);

const sizesOf = (x: TensorType, axis: number, parts: Json | undefined): readonly Dim[] | Failed => {
  const size = x.dims[axis] ?? -1;
  const known = typeof size === "number" && size !== -1 ? size : undefined;
  const place = `axis ${axis} of ${showType(x)}, which has ${known}`;
  if (Array.isArray(parts) && parts.length >= 1 && parts.length <= mostParts && isSizes(parts)) {
    const sum = parts.reduce((total, one) => total + one, 0);
    return known === undefined || known === sum
      ? parts
      : failed("shape/dim-mismatch", `[${parts.join(", ")}] adds up to ${sum}, not to ${place}`);
  }
  if (!isSize(parts) || parts > mostParts)
    return failed(
      "shape/dim-mismatch",
      `split takes a number of parts or the size of each, 1 or more, got ${JSON.stringify(parts)}`,
    );
  if (known !== undefined && known % parts !== 0)
    return failed("shape/dim-mismatch", `${parts} equal parts do not fill ${place}`);
  const each = known === undefined ? (parts === 1 ? size : -1) : known / parts;
  return Array.from({ length: parts }, () => each);
};
