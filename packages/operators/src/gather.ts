import { showDims, type TensorType, tensorOf } from "@tritype/core";
import { attributesOf, named } from "./arguments.ts";
import { knownAxis, movedAxes, resolveAxis } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { needIndices } from "./dtype-rules.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { Attributes, OnnxBuilder, Operator } from "./operator.ts";

/**
 * Attribute `axis`, and either the attribute `index` (the axis is removed) or operand 1, INT64 or INT32 (its dims
 * replace the axis). Negative indices count from the end; an index out of range fails the run.
 */
export const gather: Operator = {
  name: "gather",
  readArguments([axis, indices]) {
    const isTensor = typeof indices === "object" && indices !== null && "dims" in indices;
    return isTensor
      ? { operands: [indices], attributes: attributesOf([["axis", axis]]) }
      : named("axis", "index")([axis, indices]);
  },
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const resolved = resolveAxis(x.dims, attributes["axis"]);
    if (resolved.problem !== undefined) return resolved;
    const problem = indexProblem(x, operands[1], attributes, resolved.axis);
    if (problem !== undefined) return problem;
    return single(
      x.dtype,
      spliceDims(x.dims, resolved.axis, resolved.axis + 1, ...(operands[1]?.dims ?? [])),
    );
  },
  mixes(operands, attributes) {
    const { dims } = operandAt(operands, 0);
    const axis = knownAxis(dims, attributes["axis"]);
    const rank = operands[1]?.dims.length ?? 0;
    return [
      { operand: 0, axis, verb: "indexes" },
      ...movedAxes(0, axis + 1, dims.length, rank - 1),
      ...movedAxes(1, 0, rank, axis),
    ];
  },
  /** With padding on the right, the first element is never padding; with padding on the left, the last one is not. */
  ignoresPadding: (_mixed, operands, { index }, side) =>
    operands.length === 1 && index === (side === "right" ? 0 : -1),
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const indices =
      operands[1]?.name ?? builder.constant(tensorOf("INT64", [], [Number(attributes["index"])]));
    const axis = knownAxis(type.dims, attributes["axis"]);
    if (type.dtype === "BYTES" && type.dims.slice(axis + 1).some((dim) => dim !== 1))
      return { out: gatherTexts(builder, name, indices, axis) };
    return { out: builder.node("Gather", [name, indices], { axis: { int: axis } })[0] };
  },
};

/**
 * ONNX Runtime 1.30 copies only the first string of each block after the axis and leaves the others empty
 * (and undoes a preceding Transpose). Therefore positions are gathered first, and then the strings one by one.
 */
const gatherTexts = (builder: OnnxBuilder, name: string, indices: string, axis: number): string => {
  const [from, step] = [0, 1].map((value) => builder.constant(tensorOf("INT64", [], [value]))) as [
    string,
    string,
  ];
  const [size] = builder.node("Size", [name]);
  const [positions] = builder.node("Range", [from, size, step]);
  const [shape] = builder.node("Shape", [name]);
  const [grid] = builder.node("Reshape", [positions, shape], { allowzero: { int: 1 } });
  const [picked] = builder.node("Gather", [grid, indices], { axis: { int: axis } });
  const [texts] = builder.node("Reshape", [name, builder.constant(tensorOf("INT64", [1], [-1]))]);
  return builder.node("Gather", [texts, picked], { axis: { int: 0 } })[0];
};

const indexProblem = (
  x: TensorType,
  indices: TensorType | undefined,
  { index }: Attributes,
  axis: number,
): Failed | undefined => {
  if (indices !== undefined) return needIndices(indices, 1);
  if (typeof index !== "number" || !Number.isSafeInteger(index))
    return failed("axis/out-of-range", `gather needs integers, got ${JSON.stringify(index)}`);
  const size = x.dims[axis] ?? -1;
  if (typeof size === "string" || size === -1 || (index >= -size && index < size)) return undefined;
  return failed(
    "axis/out-of-range",
    `index ${index} is outside axis ${axis} of ${showDims(x.dims)}, which has ${size}`,
  );
};
