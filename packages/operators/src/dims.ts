import { type Dim, type Dims, showDim } from "@tritype/core";

/**
 * The dim of an elementwise result for two operands' dims; undefined if the two are incompatible. A name next to -1
 * stays unknown: either may be 1.
 */
export const broadcastDim = (a: Dim, b: Dim): Dim | undefined => {
  if (a === b) return a;
  if (a === 1) return b;
  if (b === 1) return a;
  if (a === -1) return typeof b === "string" ? -1 : b;
  if (b === -1) return typeof a === "string" ? -1 : a;
  return undefined;
};

/** Dims of `a op b`, aligned from the right as in NumPy and ONNX; undefined if they do not broadcast. */
export const broadcastDims = (a: Dims, b: Dims): Dims | undefined => {
  const rank = Math.max(a.length, b.length);
  const out: Dim[] = [];
  for (let i = 0; i < rank; i += 1) {
    const dim = broadcastDim(a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1);
    if (dim === undefined) return undefined;
    out.push(dim);
  }
  return out;
};

/** The more specific of two dims that must be equal; undefined if they contradict each other. */
export const equalDim = (a: Dim, b: Dim): Dim | undefined => {
  if (a === b || b === -1) return a;
  return a === -1 ? b : undefined;
};

/** Combines two lists of dims whose ranks and sizes must be equal; undefined if they contradict each other. */
export const equalDims = (a: Dims, b: Dims): Dims | undefined => {
  if (a.length !== b.length) return undefined;
  const out = a.map((dim, i) => equalDim(dim, b[i] ?? -1));
  return out.every((dim) => dim !== undefined) ? out : undefined;
};

/** The axes with a given name. Users write `seq`, but the dim may be the fresh `seq#2` of a call. */
export const axesNamed = (dims: Dims, name: string): readonly number[] =>
  dims.flatMap((dim, axis) =>
    typeof dim === "string" && (dim === name || showDim(dim) === name) ? [axis] : [],
  );

/** `dims` with other dims in place of those from `start` to `end` (exclusive). */
export const spliceDims = (dims: Dims, start: number, end: number, ...instead: Dim[]): Dims => [
  ...dims.slice(0, start),
  ...instead,
  ...dims.slice(end),
];
