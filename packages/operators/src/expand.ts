import { type Dims, showDims } from "@tritype/core";
import { rest } from "./arguments.ts";
import { movedAxes } from "./axis.ts";
import { broadcastDims } from "./dims.ts";
import { noBroadcast } from "./elementwise.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";
import { type ShapeEntry, shapeVector } from "./shape-vector.ts";
import { needOwnNames, readDims } from "./written-dims.ts";

/** Attribute: `dims`, aligned from the right. Axes of size 1 are repeated; 1, -1 and a dim's own name keep the size. */
export const expand: Operator = {
  name: "expand",
  readArguments: rest("dims"),
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const read = readDims(attributes["dims"], x.dims);
    if (read.problem !== undefined) return read;
    const unknown = needOwnNames(read.dims, x.dims);
    if (unknown !== undefined) return unknown;
    const added = read.dims.slice(0, Math.max(0, read.dims.length - x.dims.length));
    if (added.includes(-1))
      return failed(
        "shape/bad-reshape",
        `-1 keeps a size, and ${showDims(x.dims)} has none there: expand to ${showDims(read.dims)}`,
      );
    const dims = broadcastDims(x.dims, keepOwn(read.dims));
    return dims === undefined ? noBroadcast(x, { dims: read.dims }) : single(x.dtype, dims);
  },
  mixes(operands, attributes) {
    const { dims } = operandAt(operands, 0);
    const written = attributes["dims"];
    const rank = Array.isArray(written) ? written.length : 0;
    return movedAxes(0, 0, dims.length, Math.max(0, rank - dims.length));
  },
  lower(builder, operands, attributes) {
    const { name, type } = operandAt(operands, 0);
    const wanted = readDims(attributes["dims"], type.dims).dims ?? [];
    return {
      out: builder.node("Expand", [name, shapeVector(builder, name, shapeEntries(type.dims, wanted))])[0],
    };
  },
};

const keepOwn = (to: Dims): Dims => to.map((dim) => (dim === -1 ? 1 : dim));

/** ONNX Expand broadcasts both ways, so 1 keeps the size. */
const shapeEntries = (from: Dims, to: Dims): readonly ShapeEntry[] =>
  to.map((dim, i) => {
    const own = from[i - to.length + from.length];
    if (dim === own || dim === -1) return 1;
    return typeof dim === "number" ? dim : { axis: from.indexOf(dim) };
  });
