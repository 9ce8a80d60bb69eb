import {
  counted,
  bfloat16ToNumber,
  type Dim,
  type Dims,
  type DType,
  dtypes,
  elementCount,
  type FixedDType,
  guessHelp,
  halfToNumber,
  hasLoneSurrogate,
  inBackticks,
  isByteString,
  isElement,
  isOptional,
  type NamedTensors,
  PipelineError,
  reworded,
  type Scalar,
  showDims,
  showType,
  type Signature,
  type TensorData,
  tensorOf,
  type TensorType,
  type TypedArray,
  typedArrayOf,
  valuesOf,
  wireDims,
  withToArray,
} from "@tritype/core";
import { bindDims, type NamedSizes } from "./bind-dims.ts";
import { protocolError } from "./errors.ts";

/** The array that holds the elements of a tensor in JavaScript; FP16 and BF16 widened. */
export type ElementArray = boolean[] | string[] | TypedArray;

/** A tensor in JavaScript: elements in row-major order with their shape. */
export interface DecodedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: ElementArray;
  /** Nested lists, without the dims declared as 1 after the first. */
  toArray(): unknown;
}

/** How strictly values are read, and what messages advise. */
export interface ReadingRules {
  /**
   * Dims of size 1 that a value may omit. Default: as in clients, nested lists omit all dims declared as 1 after the first,
   * and `shape` has either all dims or those of nested lists.
   */
  readonly mayLeaveOut?: (dim: Dim) => boolean;
  /** Help for a missing input. */
  readonly howToPass?: (input: string) => string;
}

/**
 * Tensors for the inputs of `model` from JavaScript values: nested lists, one element, or `{ data, shape }`.
 * @throws PipelineError `request/invalid` that names the input, the accepted values and the given value.
 */
export const requestTensors = (
  model: string,
  inputs: Signature,
  values: ReadonlyMap<string, unknown>,
  rules: ReadingRules = {},
): NamedTensors => {
  const names = Object.keys(inputs);
  for (const [name, value] of values)
    if (value !== undefined && !names.includes(name)) {
      throw invalid(
        `\`${model}\` has no input \`${name}\``,
        guessHelp(name, names, `its inputs are ${inBackticks(names)}`),
      );
    }
  const sizes: NamedSizes = new Map();
  const tensors = new Map<string, TensorData>();
  for (const [name, type] of Object.entries(inputs)) {
    const value = values.get(name);
    if (value === undefined) {
      if (isOptional(type)) continue;
      throw invalid(
        `\`${model}\` needs the input \`${name}\`, ${showType(type)}`,
        rules.howToPass?.(name) ?? `pass it: { ${name}: … }`,
      );
    }
    const where = `input \`${name}\` of \`${model}\`, ${showType(type)}`;
    const onWire = { ...type, dims: wireDims(type.dims) };
    const tensor = readTensor(where, onWire, value, rules);
    bindNames(where, name, type.dims, tensor.shape, sizes);
    tensors.set(name, tensor);
  }
  return tensors;
};

/**
 * The values of a response, by the declared outputs. BYTES are decoded as UTF-8, with losses. The arrays share
 * memory with `tensors`.
 */
export const responseValues = (
  outputs: Signature,
  tensors: NamedTensors,
): Readonly<Record<string, DecodedTensor>> =>
  Object.fromEntries(
    [...tensors].map(([name, tensor]) => [name, decodeTensor(tensor, wireDims(outputs[name]?.dims ?? []))]),
  );

/** A model's message about an invalid request, without an empty id, and with the expected inputs. */
export const explainRefusal = (error: unknown, model: string, inputs: Signature): unknown =>
  PipelineError.is(error) && error.code.startsWith("request/")
    ? reworded(error, error.message.replace("[request id: <id_unknown>] ", ""), {
        help:
          error.help ??
          `\`${model}\` takes ${Object.entries(inputs)
            .map(([name, type]) => `\`${name}\` ${showType(type)}`)
            .join(", ")}`,
      })
    : error;

const isInnerOne = (dim: Dim, axis: number): boolean => dim === 1 && axis > 0;

const invalid = (message: string, help: string): PipelineError =>
  protocolError("request/wrong-value", { problem: message }, { help });

const readTensor = (
  where: string,
  type: TensorType,
  value: unknown,
  { mayLeaveOut }: ReadingRules,
): TensorData => {
  const shaped = asShaped(value);
  const { shape, elements } =
    shaped === undefined ? readLists(where, type, value) : readShaped(where, shaped);
  const isStored = isNumbers(elements) && dtypeOfArray(elements) === type.dtype;
  for (const element of isStored ? [] : elements) {
    if (hasLoneSurrogate(element))
      throw invalid(
        `${where}: a lone surrogate in ${showValue(element)}, which is not text`,
        "cut texts between whole characters",
      );
    if (!isElement(type.dtype, element))
      throw invalid(
        `${where}: ${showValue(element)} is not a valid ${type.dtype}`,
        `pass ${wordFor(type.dtype)}`,
      );
  }
  const isWhole = mayLeaveOut !== undefined || (shaped !== undefined && shape.length === type.dims.length);
  const shown = type.dims.map((dim, axis) => (!isWhole && isInnerOne(dim, axis) ? undefined : dim));
  const filled = fillShape(shown, shape, mayLeaveOut, shaped === undefined);
  if (filled === undefined) {
    const wanted = shown.flatMap((dim) => (dim === undefined ? [] : [dim === -1 ? "any" : dim]));
    const without = wanted.length === shown.length ? "" : ", without dims of size 1";
    throw invalid(
      `${where}: got ${type.dtype}${showDims(shape)}`,
      `pass lists of shape ${showDims(wanted)}${without}`,
    );
  }
  if (filled[0] === 0 && type.dims[0] === "batch")
    throw invalid(`${where}: got no rows`, "pass at least one row");
  if (isStored) {
    const { buffer, byteOffset, byteLength } = elements;
    // Makes a copy, because the caller may change the array while the request is waiting.
    return {
      dtype: type.dtype as FixedDType,
      shape: filled,
      data: new Uint8Array(buffer, byteOffset, byteLength).slice(),
    };
  }
  return tensorOf(type.dtype, filled, Array.from<unknown>(elements) as Scalar[]);
};

interface Elements {
  readonly shape: readonly number[];
  readonly elements: readonly unknown[] | TypedArray;
}

const asShaped = (value: unknown): { readonly data: unknown; readonly shape: unknown } | undefined =>
  typeof value === "object" && value !== null && "data" in value && "shape" in value ? value : undefined;

const readShaped = (
  where: string,
  { data, shape }: { readonly data: unknown; readonly shape: unknown },
): Elements => {
  if (!isList(shape) || !shape.every((size) => Number.isSafeInteger(size) && Number(size) >= 0))
    throw invalid(`${where}: \`shape\` is ${showValue(shape)}`, "pass a list of sizes, such as [2, 3]");
  if (!isList(data) && !isNumbers(data))
    throw invalid(`${where}: \`data\` is ${showValue(data)}`, "pass a typed array or a list of elements");
  const sizes = shape as readonly number[];
  const count = elementCount(sizes);
  if (data.length !== count)
    throw invalid(
      `${where}: shape ${showDims(sizes)} has ${counted(count, "element")}, got ${data.length}`,
      "pass as many elements in `data` as `shape` requires",
    );
  return { shape: sizes, elements: data };
};

/** Nested lists; the innermost may be typed arrays. */
const readLists = (where: string, { dtype }: TensorType, value: unknown): Elements => {
  const isInner = (item: unknown): item is TypedArray =>
    isNumbers(item) && !(dtype === "BYTES" && isByteString(item));
  if (isInner(value)) return { shape: [value.length], elements: value };
  const shape: number[] = [];
  for (let item = value; isList(item) || isInner(item); item = item[0]) {
    shape.push(item.length);
    if (item.length === 0) break;
  }
  const elements: unknown[] = [];
  const unequal = (): PipelineError =>
    invalid(`${where}: the lists have unequal lengths`, "pass the same number of values in every row");
  const visit = (item: unknown, axis: number): void => {
    if (!isList(item) && !isInner(item)) {
      if (axis < shape.length) throw unequal();
      elements.push(item);
      return;
    }
    if (item.length !== shape[axis]) throw unequal();
    for (const inner of item) visit(inner, axis + 1);
  };
  visit(value, 0);
  return { shape, elements };
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isNumbers = (value: unknown): value is TypedArray =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Goes by the class's name, so that arrays from another realm are recognized too; a Node Buffer is a Uint8Array. */
const dtypeOfArray = (array: TypedArray): DType | undefined =>
  dtypeOfClass[Object.prototype.toString.call(array).slice("[object ".length, -1)];
const dtypeOfClass: Readonly<Record<string, DType>> = {
  Uint8Array: "UINT8",
  Uint8ClampedArray: "UINT8",
  Uint16Array: "UINT16",
  Uint32Array: "UINT32",
  BigUint64Array: "UINT64",
  Int8Array: "INT8",
  Int16Array: "INT16",
  Int32Array: "INT32",
  BigInt64Array: "INT64",
  Float32Array: "FP32",
  Float64Array: "FP64",
};

const wordFor = (dtype: DType): string => {
  if (dtype === "BYTES") return 'text: "…"';
  if (dtype === "BOOL") return "true or false";
  const { range, byteSize = 0 } = dtypes[dtype];
  if (range === undefined) return `numbers, or a ${dtype === "FP64" ? "Float64Array" : "Float32Array"}`;
  const [signed, bits] = [range[0] < 0, byteSize * 8];
  const least = signed ? `-2^${bits - 1}` : "0";
  return `whole numbers from ${least} to 2^${signed ? bits - 1 : bits} - 1${bits === 64 ? ", above 2^53 as bigint" : ", as number"}`;
};

const longest = 60;

const showValue = (value: unknown): string => {
  if (typeof value === "string") {
    const text = JSON.stringify(value);
    return text.length <= longest ? text : `${text.slice(0, longest - 2)}…"`;
  }
  if (value === undefined || value === null || typeof value === "number" || typeof value === "boolean")
    return String(value);
  if (typeof value === "bigint") return `${value}n`;
  return isList(value)
    ? "a list"
    : value instanceof Promise
      ? "a promise"
      : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
};

/**
 * Matches the given sizes to the dims; if some are omitted, earlier dims are omitted first.
 * @param wanted undefined for a dim of size 1 that is always omitted.
 * @param ofLists Whether the sizes are those of nested lists, which do not show the sizes inside an empty list.
 */
const fillShape = (
  wanted: readonly (Dim | undefined)[],
  given: readonly number[],
  mayLeaveOut: ReadingRules["mayLeaveOut"],
  ofLists: boolean,
  isInEmpty = false,
): readonly number[] | undefined => {
  const [dim, ...dims] = wanted;
  if (wanted.length === 0) return given.length === 0 ? [] : undefined;
  const fixed = typeof dim === "number" && dim !== -1 ? dim : undefined;
  const fill = (sizes: readonly number[], isEmpty: boolean) =>
    fillShape(dims, sizes, mayLeaveOut, ofLists, isEmpty);
  if (dim === undefined || mayLeaveOut?.(dim) === true) {
    const without = fill(given, isInEmpty);
    if (without !== undefined || dim === undefined) return without && [1, ...without];
  }
  const [size = isInEmpty ? (fixed ?? 0) : undefined, ...sizes] = given;
  if (size === undefined || (fixed !== undefined && fixed !== size)) return undefined;
  const rest = fill(sizes, isInEmpty || (ofLists && size === 0));
  return rest === undefined ? undefined : [size, ...rest];
};

/** The same name has the same size throughout a request. */
const bindNames = (
  where: string,
  input: string,
  dims: Dims,
  shape: readonly number[],
  sizes: NamedSizes,
): void => {
  const conflict = bindDims(sizes, input, dims, shape);
  if (conflict === undefined) return;
  const { dim, size, known } = conflict;
  throw invalid(
    `${where}: got ${showDims(shape)}, so \`${dim}\` is ${size} here and ${known.size} in \`${known.tensor}\``,
    `use one size for \`${dim}\` in all inputs`,
  );
};

const decodeTensor = (tensor: TensorData, dims: Dims): DecodedTensor => {
  const { dtype, shape } = tensor;
  const data = elementsOf(tensor);
  const sizes = shape.filter((_, axis) => !isInnerOne(dims[axis] ?? -1, axis));
  return withToArray({ dtype, shape, data }, () => nest(data, sizes));
};

const elementsOf = (tensor: TensorData): ElementArray => {
  if (tensor.dtype === "BYTES") return valuesOf(tensor) as string[];
  const view = typedArrayOf(tensor);
  if (tensor.dtype === "BOOL") return valuesOf(tensor) as boolean[];
  if (tensor.dtype === "FP16") return Float32Array.from(view as Uint16Array, halfToNumber);
  if (tensor.dtype === "BF16") return Float32Array.from(view as Uint16Array, bfloat16ToNumber);
  return view;
};

const nest = (data: ElementArray, shape: readonly number[]): unknown => {
  const [size, ...rest] = shape;
  if (size === undefined) return data[0];
  if (rest.length === 0) return Array.from(data as ArrayLike<unknown>);
  const stride = elementCount(rest);
  return Array.from({ length: size }, (_, row) => nest(data.slice(row * stride, (row + 1) * stride), rest));
};
