import {
  type DType,
  dtypes,
  elementCount,
  type Scalar,
  type TensorData,
  tensorOf,
  valuesOf,
} from "@tritype/core";
import type { Attributes } from "@tritype/operators";

/** Plain loops over JavaScript values: integers as bigint, floats as double. Only `tensorOf` rounds or wraps, at the end. */
interface NdArray {
  readonly dims: readonly number[];
  readonly values: readonly Scalar[];
}
type Reference = (operands: readonly NdArray[], attributes: Attributes) => NdArray;
type Index = readonly number[];

const build = (dims: readonly number[], element: (index: Index) => Scalar): NdArray => ({
  dims,
  values: Array.from({ length: elementCount(dims) }, (_, flat) => element(unravel(flat, dims))),
});
const unravel = (flat: number, dims: readonly number[]): Index => {
  const index: number[] = [];
  for (let axis = dims.length - 1, rest = flat; axis >= 0; axis -= 1) {
    const size = dims[axis] ?? 1;
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
};
/** Reads with broadcasting: missing axes on the left, and size 1 stands for every position. */
const read = (x: NdArray, index: Index): Scalar => {
  const own = index.slice(index.length - x.dims.length);
  const flat = x.dims.reduce((sum, size, axis) => sum * size + (size === 1 ? 0 : (own[axis] ?? 0)), 0);
  return x.values[flat] as Scalar;
};
const broadcast = (arrays: readonly NdArray[]): number[] => {
  const rank = Math.max(...arrays.map((x) => x.dims.length));
  return Array.from({ length: rank }, (_, axis) => {
    const sizes = arrays.map((x) => x.dims[axis - rank + x.dims.length] ?? 1);
    return sizes.find((size) => size !== 1) ?? 1;
  });
};
const elementwise =
  (of: (...elements: readonly Scalar[]) => Scalar): Reference =>
  (operands) =>
    build(broadcast(operands), (index) => of(...operands.map((x) => read(x, index))));

const arithmetic = (
  float: (a: number, b: number) => number,
  int: (a: bigint, b: bigint) => bigint,
): Reference =>
  elementwise((a, b) => (typeof a === "bigint" ? int(a, b as bigint) : float(a as number, b as number)));

const axisOf = ({ axis }: Attributes, rank: number): number =>
  Number(axis) < 0 ? Number(axis) + rank : Number(axis);
const put = (index: Index, axis: number, position: number): Index => index.toSpliced(axis, 1, position);

/** `of` sees the elements along the axis. */
const reduce =
  (of: (elements: readonly Scalar[]) => Scalar): Reference =>
  ([x], attributes) => {
    const { dims } = x as NdArray;
    const axis = axisOf(attributes, dims.length);
    const kept = build(dims.with(axis, 1), (index) => of(along(x as NdArray, index, axis)));
    return attributes["keepDims"] === true ? kept : { ...kept, dims: dims.toSpliced(axis, 1) };
  };
const along = (x: NdArray, index: Index, axis: number): Scalar[] =>
  Array.from({ length: x.dims[axis] ?? 1 }, (_, position) => read(x, put(index, axis, position)));
const total = (elements: readonly Scalar[]): number | bigint =>
  typeof elements[0] === "bigint"
    ? (elements as bigint[]).reduce((a, b) => a + b, 0n)
    : (elements as number[]).reduce((a, b) => a + b, 0);
const largest = (elements: readonly Scalar[]): Scalar => elements.reduce((a, b) => (b > a ? b : a));

const matmul: Reference = ([left, right]) => {
  const [a, b] = [left as NdArray, right as NdArray];
  const matrixA = a.dims.length === 1 ? { ...a, dims: [1, ...a.dims] } : a;
  const matrixB = b.dims.length === 1 ? { ...b, dims: [...b.dims, 1] } : b;
  const inner = matrixA.dims.at(-1) ?? 1;
  const outer = broadcast([
    { dims: matrixA.dims.slice(0, -2), values: [] },
    { dims: matrixB.dims.slice(0, -2), values: [] },
  ]);
  const rows = matrixA.dims.at(-2) ?? 1;
  const columns = matrixB.dims.at(-1) ?? 1;
  const product = build([...outer, rows, columns], (index) => {
    const [row, column] = index.slice(-2) as [number, number];
    const terms = Array.from({ length: inner }, (_, k) => {
      const x = read(matrixA, [...index.slice(0, -2), row, k]);
      const y = read(matrixB, [...index.slice(0, -2), k, column]);
      return typeof x === "bigint" ? x * (y as bigint) : (x as number) * (y as number);
    });
    return total(terms);
  });
  const shown = [...(a.dims.length === 1 ? [] : [rows]), ...(b.dims.length === 1 ? [] : [columns])];
  return { ...product, dims: [...outer, ...shown] };
};

const gather: Reference = ([data, indices], attributes) => {
  const x = data as NdArray;
  const axis = axisOf(attributes, x.dims.length);
  const picked = indices ?? { dims: [], values: [Number(attributes["index"])] };
  const rank = picked.dims.length;
  return build(x.dims.toSpliced(axis, 1, ...picked.dims), (index) => {
    const position = Number(read(picked, index.slice(axis, axis + rank)));
    const size = x.dims[axis] ?? 1;
    return read(x, index.toSpliced(axis, rank, position < 0 ? position + size : position));
  });
};

const concat: Reference = (operands, attributes) => {
  const first = operands[0] as NdArray;
  const axis = axisOf(attributes, first.dims.length);
  const sizes = operands.map((x) => x.dims[axis] ?? 1);
  return build(
    first.dims.with(
      axis,
      sizes.reduce((a, b) => a + b, 0),
    ),
    (index) => {
      let position = index[axis] ?? 0;
      const which = sizes.findIndex((size) => {
        if (position < size) return true;
        position -= size;
        return false;
      });
      return read(operands[which] as NdArray, put(index, axis, position));
    },
  );
};

const softmax: Reference = ([x], attributes) => {
  const { dims } = x as NdArray;
  const axis = axisOf(attributes, dims.length);
  return build(dims, (index) => {
    const elements = along(x as NdArray, index, axis) as number[];
    const top = Math.max(...elements);
    const sum = elements.reduce((a, b) => a + Math.exp(b - top), 0);
    return Math.exp(Number(read(x as NdArray, index)) - top) / sum;
  });
};

const transpose: Reference = ([x], { axes }) => {
  const order = axes as readonly number[];
  const { dims } = x as NdArray;
  return build(
    order.map((axis) => dims[axis] ?? 1),
    (index) =>
      read(
        x as NdArray,
        dims.map((_, axis) => index[order.indexOf(axis)] ?? 0),
      ),
  );
};

const expand: Reference = ([x], { dims }) =>
  build(broadcast([x as NdArray, { dims: dims as number[], values: [] }]), (index) =>
    read(x as NdArray, index),
  );

const slice: Reference = ([x], attributes) => {
  const { dims } = x as NdArray;
  const axis = axisOf(attributes, dims.length);
  const positions = Array.from({ length: dims[axis] ?? 1 }, (_, i) => i);
  const { start, end } = attributes as { readonly start: number; readonly end?: number };
  const picked = positions.slice(start, end);
  return build(dims.with(axis, picked.length), (index) =>
    read(x as NdArray, put(index, axis, picked[index[axis] ?? 0] ?? 0)),
  );
};

const comparison = (of: (a: number, b: number) => boolean): Reference =>
  elementwise((a, b) => of(Number(a), Number(b)));
const unary = (of: (x: number) => number): Reference => elementwise((x) => of(Number(x)));

const truncated = (a: bigint, b: bigint): bigint => a / b;
const references: Readonly<Record<string, Reference>> = {
  add: arithmetic(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  sub: arithmetic(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  mul: arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  div: arithmetic((a, b) => a / b, truncated),
  minimum: arithmetic(
    (a, b) => Math.min(a, b),
    (a, b) => (a < b ? a : b),
  ),
  maximum: arithmetic(
    (a, b) => Math.max(a, b),
    (a, b) => (a > b ? a : b),
  ),
  eq: comparison((a, b) => a === b),
  gt: comparison((a, b) => a > b),
  ge: comparison((a, b) => a >= b),
  lt: comparison((a, b) => a < b),
  le: comparison((a, b) => a <= b),
  and: elementwise((a, b) => a === true && b === true),
  or: elementwise((a, b) => a === true || b === true),
  not: elementwise((a) => a === false),
  neg: elementwise((a) => (typeof a === "bigint" ? -a : 0 - Number(a))),
  abs: unary(Math.abs),
  sqrt: unary(Math.sqrt),
  exp: unary(Math.exp),
  log: unary(Math.log),
  tanh: unary(Math.tanh),
  sigmoid: unary((x) => 1 / (1 + Math.exp(-x))),
  relu: unary((x) => Math.max(0, x)),
  clip: unary((x) => Math.max(1, x)),
  min: reduce((elements) => elements.reduce((a, b) => (b < a ? b : a))),
  expand,
  slice,
  where: elementwise((condition, a, b) => (condition === true ? a : b)),
  sum: reduce(total),
  mean: reduce((elements) => Number(total(elements)) / elements.length),
  max: reduce(largest),
  argmax: reduce((elements) => elements.indexOf(largest(elements))),
  softmax,
  matmul,
  gather,
  transpose,
  concat,
};
/** Operators that have a reference here. */
export const referenced: readonly string[] = Object.keys(references);

/** What the operator must answer, in the dtype of the result. */
export const expectedOf = (
  operator: string,
  feeds: readonly TensorData[],
  attributes: Attributes,
  dtype: DType,
): TensorData => {
  const arrays = feeds.map((tensor) => ({ dims: tensor.shape, values: exact(tensor) }));
  const { dims, values } = (references[operator] as Reference)(arrays, attributes);
  return tensorOf(dtype, dims, values);
};

const exact = (tensor: TensorData): Scalar[] =>
  dtypes[tensor.dtype].family === "int" ? valuesOf(tensor).map((x) => BigInt(x as number)) : valuesOf(tensor);
