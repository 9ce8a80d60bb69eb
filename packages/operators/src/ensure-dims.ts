import { type Dim, showDims, tensorOf } from "@tritype/core";
import { rest } from "./arguments.ts";
import { failed, operandAt, outOf, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";
import { readDims } from "./written-dims.ts";

/**
 * Attribute: `dims`, one for each axis. -1 leaves an axis open. If a stated size differs, the run fails. A stated name
 * is trusted; a mismatch is detected when the tensor is combined with another one that has that name. The operator
 * becomes a Split into one part, whose sizes must add up to the axis. (ONNX Runtime fuses consecutive Reshapes, so a
 * Reshape would let [2, 6] pass as [3, 4].)
 */
export const ensureDims: Operator = {
  name: "ensureDims",
  readArguments: rest("dims"),
  infer(operands, attributes) {
    const x = operandAt(operands, 0);
    const read = readDims(attributes["dims"], x.dims);
    if (read.problem !== undefined) return read;
    const contradiction = `${showDims(read.dims)} contradicts ${showDims(x.dims)}`;
    if (read.dims.length !== x.dims.length) return failed("shape/rank-mismatch", contradiction);
    const dims = x.dims.map((dim, i) => stated(dim, read.dims[i] ?? -1));
    return dims.every((dim) => dim !== undefined)
      ? single(x.dtype, dims)
      : failed("shape/dim-mismatch", contradiction);
  },
  lower(builder, operands, _attributes, outputs) {
    const { name, type } = operandAt(operands, 0);
    const { dims } = outOf(outputs);
    const pinned = dims.flatMap((dim, axis) =>
      typeof dim === "number" && dim !== type.dims[axis] ? [axis] : [],
    );
    const pin = (x: string, axis: number): string => {
      const size = builder.constant(tensorOf("INT64", [1], [Number(dims[axis])]));
      const label = `ensureDims${showDims(dims).replace("[", "(").replace("]", ")")} of ${name}: dimension ${axis} must be ${dims[axis]}`;
      return builder.node("Split", [x, size], { axis: { int: axis } }, 1, label)[0];
    };
    return { out: pinned.length === 0 ? builder.node("Identity", [name])[0] : pinned.reduce(pin, name) };
  },
};

const stated = (own: Dim, dim: Dim): Dim | undefined => {
  if (dim === -1 || dim === own) return own;
  if (dim === 0) return undefined;
  return own === -1 || typeof own === "string" ? dim : undefined;
};
