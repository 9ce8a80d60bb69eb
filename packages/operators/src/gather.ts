import { showDims, type TensorType, tensorOf } from "@tritype/core";
import { knownAxis, movedAxes, resolveAxis } from "./axis.ts";
import { spliceDims } from "./dims.ts";
import { needIndices } from "./dtype-rules.ts";
import { type Failed, failed, operandAt, single } from "./inferred.ts";
import type { Attributes, OnnxBuilder, OnnxValue, Operator } from "./operator.ts";

/**
 * Attribute `axis`, and either the attribute `index` (the axis goes) or operand 1, INT64 or INT32 (its dims stand in place of
 * the axis). Negative indices count from the end; one outside the axis fails the run.
 */
export const gather: Operator = {
  name: "gather",
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
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const indices =
      operands[1]?.name ?? builder.constant(tensorOf("INT64", [], [Number(attributes["index"])]));
    const axis = knownAxis(type.dims, attributes["axis"]);
    const isTextBlock = type.dtype === "BYTES" && type.dims.slice(axis + 1).some((dim) => dim !== 1);
    if (isTextBlock)
      return {
        out: gatherTexts(builder, operandAt(operands, 0), axis, indices, operands[1]?.type.dims.length ?? 0),
      };
    return { out: builder.node("Gather", [name, indices], { axis: { int: axis } })[0] };
  },
};

/**
 * ONNX Runtime 1.30 copies only the first text of each block behind the axis and leaves the others empty. With the axis moved
 * to the end, a block is one text.
 */
const gatherTexts = (
  builder: OnnxBuilder,
  { name, type }: OnnxValue,
  axis: number,
  indices: string,
  indexRank: number,
): string => {
  const axes = type.dims.map((_, i) => i);
  const others = axes.toSpliced(axis, 1);
  const [moved] = builder.node("Transpose", [name], { perm: { ints: [...others, axis] } });
  const [picked] = builder.node("Gather", [moved, indices], { axis: { int: others.length } });
  if (indexRank === 0) return picked;
  const pickedAxes = Array.from({ length: indexRank }, (_, i) => others.length + i);
  const ints = [...others.keys()].toSpliced(axis, 0, ...pickedAxes);
  return builder.node("Transpose", [picked], { perm: { ints } })[0];
};

const indexProblem = (
  x: TensorType,
  indices: TensorType | undefined,
  { index }: Attributes,
  axis: number,
): Failed | undefined => {
  if (indices !== undefined) return needIndices(indices, 1);
  if (typeof index !== "number" || !Number.isSafeInteger(index))
    return failed("axis/out-of-range", `gather takes whole numbers, got ${JSON.stringify(index)}`);
  const size = x.dims[axis] ?? -1;
  if (typeof size === "string" || size === -1 || (index >= -size && index < size)) return undefined;
  return failed(
    "axis/out-of-range",
    `index ${index} is outside axis ${axis} of ${showDims(x.dims)}, which has ${size}`,
  );
};
