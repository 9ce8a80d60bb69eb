import { elementCount, type Json, type Scalar } from "@tritype/core";
import type { Attributes } from "./index.ts";

import { operandAt } from "./inferred.ts";
/** Plain loops over JavaScript values: integers as bigint, floats as double. Only `tensorOf` rounds or wraps, at the end. */
export interface NdArray {
  readonly dims: readonly number[];
  readonly values: readonly Scalar[];
}
export type Reference = (
  operands: readonly NdArray[],
  attributes: Attributes,
) => NdArray | Readonly<Record<string, NdArray>>;
/** An operator with a single output, for use by others. */
type Single = (operands: readonly NdArray[], attributes: Attributes) => NdArray;
type Index = readonly number[];

export const build = (dims: readonly number[], element: (index: Index) => Scalar): NdArray => ({
  dims,
  values: Array.from({ length: elementCount(dims) }, (_, flat) => element(unravel(flat, dims))),
});
export const unravel = (flat: number, dims: readonly number[]): Index => {
  const index: number[] = [];
  for (let axis = dims.length - 1, rest = flat; axis >= 0; axis -= 1) {
    const size = dims[axis] ?? 1;
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
};
/** Reads with broadcasting: missing axes are on the left, and size 1 applies to every position. */
export const read = (x: NdArray, index: Index): Scalar => {
  const own = index.slice(index.length - x.dims.length);
  const flat = x.dims.reduce((sum, size, axis) => sum * size + (size === 1 ? 0 : (own[axis] ?? 0)), 0);
  const value = x.values[flat];
  if (value === undefined) throw new Error(`no element at ${index.join()}`);
  return value;
};
export const broadcast = (arrays: readonly NdArray[]): number[] => {
  const rank = Math.max(...arrays.map((x) => x.dims.length));
  return Array.from({ length: rank }, (_, axis) => {
    const sizes = arrays.map((x) => x.dims[axis - rank + x.dims.length] ?? 1);
    return sizes.find((size) => size !== 1) ?? 1;
  });
};
export const elementwise =
  (of: (...elements: readonly Scalar[]) => Scalar): Reference =>
  (operands) =>
    build(broadcast(operands), (index) => of(...operands.map((x) => read(x, index))));

export const arithmetic = (
  float: (a: number, b: number) => number,
  int: (a: bigint, b: bigint) => bigint,
): Reference =>
  elementwise((a, b) => (typeof a === "bigint" ? int(a, b as bigint) : float(a as number, b as number)));

export const axisOf = ({ axis }: Attributes, rank: number): number =>
  Number(axis) < 0 ? Number(axis) + rank : Number(axis);
export const put = (index: Index, axis: number, position: number): Index =>
  index.toSpliced(axis, 1, position);

/** `of` gets the elements along the axis. */
export const reduce =
  (of: (elements: readonly Scalar[]) => Scalar): Single =>
  (operands, attributes) => {
    const x = operandAt(operands, 0);
    const { dims } = x;
    const axis = axisOf(attributes, dims.length);
    const kept = build(dims.with(axis, 1), (index) => of(along(x, index, axis)));
    return attributes["keepDims"] === true ? kept : { ...kept, dims: dims.toSpliced(axis, 1) };
  };
export const along = (x: NdArray, index: Index, axis: number): Scalar[] =>
  Array.from({ length: x.dims[axis] ?? 1 }, (_, position) => read(x, put(index, axis, position)));
export const total = (elements: readonly Scalar[]): number | bigint =>
  typeof elements[0] === "bigint"
    ? (elements as bigint[]).reduce((a, b) => a + b, 0n)
    : (elements as number[]).reduce((a, b) => a + b, 0);
export const product = (elements: readonly Scalar[]): number | bigint =>
  typeof elements[0] === "bigint"
    ? (elements as bigint[]).reduce((a, b) => a * b, 1n)
    : (elements as number[]).reduce((a, b) => a * b, 1);
export const smallest = (elements: readonly Scalar[]): Scalar => elements.reduce((a, b) => (b < a ? b : a));
export const largest = (elements: readonly Scalar[]): Scalar => elements.reduce((a, b) => (b > a ? b : a));

export const mapped = (x: NdArray | undefined, of: (element: Scalar) => Scalar): NdArray => ({
  dims: x?.dims ?? [],
  values: (x?.values ?? []).map(of),
});
/** A value as written in attributes. */
export const fromJson = (value: Json | undefined): Scalar =>
  value === "NaN" || value === "Infinity" ? Number(value) : (value as Scalar);

export const comparison = (of: (a: number, b: number) => boolean): Reference =>
  elementwise((a, b) => of(Number(a), Number(b)));
export const unary = (of: (x: number) => number): Reference => elementwise((x) => of(Number(x)));
/** The series 2/√π · Σ (-1)ⁿ x²ⁿ⁺¹ / (n! (2n + 1)). */
export const erf = (x: number): number => {
  if (!Number.isFinite(x) || Math.abs(x) > 5) return Math.sign(x);
  let [sum, power] = [0, x];
  for (let n = 0; n < 100; n += 1) {
    sum += power / (2 * n + 1);
    power *= (-x * x) / (n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
};
