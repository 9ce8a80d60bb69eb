import {
  type DType,
  dtypes,
  elementCount,
  type Json,
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
type Reference = (
  operands: readonly NdArray[],
  attributes: Attributes,
) => NdArray | Readonly<Record<string, NdArray>>;
/** One of a single output, that others build on. */
type Single = (operands: readonly NdArray[], attributes: Attributes) => NdArray;
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
  (of: (elements: readonly Scalar[]) => Scalar): Single =>
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
const product = (elements: readonly Scalar[]): number | bigint =>
  typeof elements[0] === "bigint"
    ? (elements as bigint[]).reduce((a, b) => a * b, 1n)
    : (elements as number[]).reduce((a, b) => a * b, 1);
const logSumExp = (elements: readonly Scalar[]): number => {
  const top = Math.max(...(elements as number[]));
  if (!Number.isFinite(top)) return top;
  return top + Math.log((elements as number[]).reduce((a, b) => a + Math.exp(b - top), 0));
};
const smallest = (elements: readonly Scalar[]): Scalar => elements.reduce((a, b) => (b < a ? b : a));
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

const concat: Single = (operands, attributes) => {
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

const mapped = (x: NdArray | undefined, of: (element: Scalar) => Scalar): NdArray => ({
  dims: x?.dims ?? [],
  values: (x?.values ?? []).map(of),
});
/** As attributes spell a value. */
const fromJson = (value: Json | undefined): Scalar =>
  value === "NaN" || value === "Infinity" ? Number(value) : (value as Scalar);

const topK: Reference = ([operand], attributes) => {
  const x = operand as NdArray;
  const axis = axisOf(attributes, x.dims.length);
  const ranking = (index: Index): readonly [Scalar, number][] =>
    along(x, index, axis)
      .map((value, position): [Scalar, number] => [value, position])
      .toSorted(([a, i], [b, j]) => (a === b ? i - j : a > b ? -1 : 1));
  const dims = x.dims.with(axis, Number(attributes["k"]));
  const best = (index: Index): [Scalar, number] => ranking(index)[index[axis] ?? 0] as [Scalar, number];
  return { values: build(dims, (index) => best(index)[0]), indices: build(dims, (index) => best(index)[1]) };
};

const oneHot: Reference = ([operand], { axis, depth }) => {
  const x = operand as NdArray;
  const place = Number(axis) < 0 ? Number(axis) + x.dims.length + 1 : Number(axis);
  return build(x.dims.toSpliced(place, 0, Number(depth)), (index) =>
    Number(read(x, index.toSpliced(place, 1))) === index[place] ? 1 : 0,
  );
};

const layerNorm: Reference = ([operand, ...weights], attributes) => {
  const x = operand as NdArray;
  const axis = axisOf(attributes, x.dims.length);
  const size = elementCount(x.dims.slice(axis));
  const [scale, bias] = attributes["scale"] === true ? weights : [undefined, weights[0]];
  const values = x.values.map((value, flat) => {
    const start = flat - (flat % size);
    const group = x.values.slice(start, start + size) as number[];
    const mean = group.reduce((a, b) => a + b, 0) / size;
    const variance = group.reduce((a, b) => a + (b - mean) ** 2, 0) / size;
    const normal = (Number(value) - mean) / Math.sqrt(variance + Math.fround(Number(attributes["epsilon"])));
    return normal * Number(scale?.values[flat % size] ?? 1) + Number(bias?.values[flat % size] ?? 0);
  });
  return { dims: x.dims, values };
};

const split: Reference = ([operand], { axis, parts }) => {
  const x = operand as NdArray;
  const at = axisOf({ axis: axis ?? 0 }, x.dims.length);
  const each = (x.dims[at] ?? 1) / Number(parts);
  const sizes = Array.isArray(parts)
    ? (parts as number[])
    : Array.from({ length: Number(parts) }, () => each);
  let start = 0;
  const cut = sizes.map((length, i): [string, NdArray] => {
    const from = start;
    start += length;
    const part = build(x.dims.with(at, length), (index) => read(x, put(index, at, from + (index[at] ?? 0))));
    return [String(i), part];
  });
  return Object.fromEntries(cut);
};

const pad: Reference = ([operand], { axis, before, after, mode }) => {
  const x = operand as NdArray;
  const at = axisOf({ axis: axis ?? 0 }, x.dims.length);
  const length = x.dims[at] ?? 1;
  const source = (position: number): number => {
    if (mode === "edge") return Math.min(Math.max(position, 0), length - 1);
    return mode === "constant" ? position : length - 1 - Math.abs(length - 1 - Math.abs(position));
  };
  return build(x.dims.with(at, length + Number(before) + Number(after)), (index) => {
    const position = source((index[at] ?? 0) - Number(before));
    return position < 0 || position >= length ? 0 : read(x, put(index, at, position));
  });
};

/** Every combination of the labels' sizes, added up in the element it belongs to. Axes of an ellipsis are labelled from the right. */
const einsum: Reference = (operands, { equation }) => {
  const [left = "", right] = (equation as string).replaceAll(" ", "").split("->");
  const labelled = (term: string, outer: number): string[] => {
    const [head = "", tail] = term.split("...");
    const dots = Array.from({ length: tail === undefined ? 0 : outer }, (_, i) => `.${outer - i}`);
    return [...head.split(""), ...dots, ...(tail ?? "").split("")];
  };
  const written = left.split(",");
  const outer = written.map((term, i) => (operands[i]?.dims.length ?? 0) - term.replace("...", "").length);
  const terms = written.map((term, i) => labelled(term, outer[i] ?? 0));
  const once = terms.flat().filter((label, _, all) => all.indexOf(label) === all.lastIndexOf(label));
  const result = right === undefined ? once.toSorted() : labelled(right, Math.max(...outer));
  const sizes = new Map<string, number>();
  terms.forEach((term, i) =>
    term.forEach((label, axis) =>
      sizes.set(label, Math.max(sizes.get(label) ?? 1, operands[i]?.dims[axis] ?? 1)),
    ),
  );
  const sizeOf = (label: string): number => sizes.get(label) ?? 1;
  const inner = [...sizes.keys()].filter((label) => !result.includes(label));
  return build(result.map(sizeOf), (index) => {
    const products = Array.from({ length: elementCount(inner.map(sizeOf)) }, (_, flat) => {
      const rest = unravel(flat, inner.map(sizeOf));
      const at = (label: string): number =>
        (result.includes(label) ? index[result.indexOf(label)] : rest[inner.indexOf(label)]) ?? 0;
      return product(operands.map((x, i) => read(x, (terms[i] ?? []).map(at))));
    });
    return total(products);
  });
};

const halfToEven = (x: number): number => {
  if (!Number.isFinite(x)) return x;
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
};

/** The series 2/√π · Σ (-1)ⁿ x²ⁿ⁺¹ / (n! (2n + 1)). */
const erf = (x: number): number => {
  if (!Number.isFinite(x) || Math.abs(x) > 5) return Math.sign(x);
  let [sum, power] = [0, x];
  for (let n = 0; n < 100; n += 1) {
    sum += power / (2 * n + 1);
    power *= (-x * x) / (n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
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
  mod: arithmetic(
    (a, b) => a % b,
    (a, b) => a % b,
  ),
  eq: comparison((a, b) => a === b),
  ne: comparison((a, b) => a !== b),
  gt: comparison((a, b) => a > b),
  ge: comparison((a, b) => a >= b),
  lt: comparison((a, b) => a < b),
  le: comparison((a, b) => a <= b),
  and: elementwise((a, b) => a === true && b === true),
  or: elementwise((a, b) => a === true || b === true),
  xor: elementwise((a, b) => a !== b),
  not: elementwise((a) => a === false),
  neg: elementwise((a) => (typeof a === "bigint" ? -a : 0 - Number(a))),
  abs: unary(Math.abs),
  sqrt: unary(Math.sqrt),
  exp: unary(Math.exp),
  log: unary(Math.log),
  tanh: unary(Math.tanh),
  sigmoid: unary((x) => 1 / (1 + Math.exp(-x))),
  sign: unary(Math.sign),
  floor: unary(Math.floor),
  ceil: unary(Math.ceil),
  round: unary(halfToEven),
  erf: unary(erf),
  gelu: unary((x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2))),
  relu: unary((x) => Math.max(0, x)),
  clip: unary((x) => Math.max(1, x)),
  min: reduce(smallest),
  expand,
  slice,
  where: elementwise((condition, a, b) => (condition === true ? a : b)),
  sum: reduce(total),
  mean: reduce((elements) => Number(total(elements)) / elements.length),
  max: reduce(largest),
  prod: reduce((elements) => product(elements)),
  logSumExp: reduce(logSumExp),
  argmax: reduce((elements) => elements.indexOf(largest(elements))),
  argmin: reduce((elements) => elements.indexOf(smallest(elements))),
  topK,
  lookup: ([x], { labels }) => mapped(x, (i) => (labels as string[])[Number(i)] ?? ""),
  labelEncode: ([x], { keys, values, otherwise }) =>
    mapped(x, (key) => {
      const at = (keys as number[]).indexOf(Number(key));
      return fromJson(at === -1 ? otherwise : (values as Json[])[at]);
    }),
  oneHot,
  layerNorm,
  split,
  pad,
  tile: ([x], { axis, times }) =>
    concat(
      Array.from({ length: Number(times) }, () => x as NdArray),
      { axis: axis ?? 0 },
    ),
  einsum,
  softmax,
  matmul,
  gather,
  transpose,
  concat,
};
/** Operators that have a reference here. */
export const referenced: readonly string[] = Object.keys(references);

/** What the operator must answer, in the dtypes of its results. */
export const expectedOf = (
  operator: string,
  feeds: readonly TensorData[],
  attributes: Attributes,
  dtypeOf: (output: string) => DType,
): Readonly<Record<string, TensorData>> => {
  const arrays = feeds.map((tensor) => ({ dims: tensor.shape, values: exact(tensor) }));
  const answer = (references[operator] as Reference)(arrays, attributes);
  const outputs = isSingle(answer) ? { out: answer } : answer;
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { dims, values }]) => [name, tensorOf(dtypeOf(name), dims, values)]),
  );
};

const isSingle = (answer: ReturnType<Reference>): answer is NdArray => Array.isArray(answer["dims"]);

const exact = (tensor: TensorData): Scalar[] =>
  dtypes[tensor.dtype].family === "int" ? valuesOf(tensor).map((x) => BigInt(x as number)) : valuesOf(tensor);
