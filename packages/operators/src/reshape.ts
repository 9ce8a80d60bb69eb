import { type Dim, type Dims, showDims, showType, type TensorType } from "@tritype/core";
import { rest } from "./arguments.ts";
import { countOf, countsDiffer, missingSize, showCount } from "./element-count.ts";
import { type Failed, failed, operandAt, outOf, single } from "./inferred.ts";
import type { Inferred, MixedAxis, Operator } from "./operator.ts";
import { type ShapeEntry, shapeVector } from "./shape-vector.ts";
import { needOwnNames, readDims } from "./written-dims.ts";

/**
 * Attribute: `dims`, which contains sizes, dim names of the tensor, and at most one -1, which is computed if the sizes
 * are known. The number of elements must be provably equal, or unknown, in which case it is checked at run time.
 */
export const reshape: Operator = {
  name: "reshape",
  readArguments: rest("dims"),
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const read = readDims(attributes["dims"], x.dims);
    if (read.problem !== undefined) return read;
    return (
      needOwnNames(read.dims, x.dims) ?? (read.dims.includes(-1) ? fill(x, read.dims) : fit(x, read.dims))
    );
  },
  mixes: (operands, attributes) => mixed(operandAt(operands, 0), reshape.infer(operands, attributes)),
  lower(builder, operands, _attributes, outputs) {
    const { name, type } = operandAt(operands, 0);
    const shape = shapeVector(builder, name, shapeEntries(type.dims, outOf(outputs).dims));
    return { out: builder.node("Reshape", [name, shape])[0] };
  },
};

const fit = (x: TensorType, dims: Dims): Inferred => {
  const [from, to] = [countOf(x.dims), countOf(dims)];
  if (countsDiffer(from, to))
    return bad(`${showType(x)} has ${showCount(from)} elements, ${showDims(dims)} has ${showCount(to)}`);
  const zero = dims.findIndex((dim, i) => dim === 0 && x.dims[i] !== 0);
  return zero === -1 ? single(x.dtype, dims) : bad(`${showDims(dims)} contains the size 0`);
};

const fill = (x: TensorType, dims: Dims): Inferred => {
  if (dims.filter((dim) => dim === -1).length > 1) return bad(`${showDims(dims)} has more than one -1`);
  const known = dims.filter((dim) => dim !== -1);
  const size = missingSize(countOf(x.dims), countOf(known));
  if (size === undefined)
    return bad(
      `${showType(x)} has ${showCount(countOf(x.dims))} elements, which ${showDims(dims)} does not divide`,
    );
  return single(
    x.dtype,
    dims.map((dim) => (dim === -1 ? size : dim)),
  );
};

const bad = (message: string): Failed => failed("shape/bad-reshape", message);

/** In ONNX, 0 copies the size of the same axis, and one -1 is computed. */
const shapeEntries = (from: Dims, to: Dims): readonly ShapeEntry[] => {
  let free = !to.includes(-1);
  return to.map((dim, i) => {
    if (typeof dim === "number") return dim;
    if (from[i] === dim) return 0;
    if (free) {
      free = false;
      return -1;
    }
    return { axis: from.indexOf(dim) };
  });
};

/** Dims that are equal at both ends keep their elements separate; the dims in between are merged or split. */
const mixed = (x: TensorType, { outputs }: Inferred): readonly MixedAxis[] => {
  const to = outputs?.["out"]?.dims ?? [];
  const same = (a: Dim | undefined, b: Dim | undefined): boolean => a !== undefined && a === b && a !== -1;
  const shorter = Math.min(x.dims.length, to.length);
  let start = 0;
  while (start < shorter && same(x.dims[start], to[start])) start += 1;
  let end = 0;
  while (end < shorter - start && same(x.dims.at(-1 - end), to.at(-1 - end))) end += 1;
  const inside = x.dims.length - end - start;
  return Array.from({ length: inside }, (_, i) => ({ operand: 0, axis: start + i, verb: "reshapes" }));
};
