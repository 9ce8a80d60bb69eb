import type { DType, NamedTensors, TensorData } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";
import { InvalidRequest, InvalidResult } from "./function-failure.ts";
import { type Elements, isList, type Part, readElements, unpack, writeElements } from "./function-values.ts";

/** The declaration of a function, as far as its values depend on it. */
export type Declaration = Pick<FunctionTwinOptions, "inputs" | "outputs" | "per">;

/** A function's argument: an element, a list of elements or `{ data, shape }` by the name of its input. */
export type RunInputs = Readonly<Record<string, unknown>>;

/** A request as a function sees it. */
export interface ReadRequest {
  /** How many times the function is called: once for each row, or once in total. */
  readonly calls: number;
  inputs(call: number): RunInputs;
  /** The start of a message about one call: `row 3: `, or "" for a function of all rows. */
  prefix(call: number): string;
  readonly sizes: Sizes;
}

/** Name of a size → the size, which is the same throughout a request. */
type Sizes = Map<string, number>;

/** The inputs of a request, checked against the declaration. @throws InvalidRequest */
export const readRequest = ({ inputs, per }: Declaration, given: NamedTensors): ReadRequest => {
  const sizes: Sizes = new Map();
  const read = Object.entries(inputs).map(([name, type]): readonly [string, Given | undefined] => {
    const tensor = given.get(name);
    if (tensor === undefined) return [name, undefined];
    hold(InvalidRequest, `input ${name}`, tensor.shape, dimsOf(name, type), sizes);
    const { shape } = tensor;
    return [name, { elements: readElements(name, tensor), shape, scalar: isScalar(type.dims.slice(1)) }];
  });
  if (per === "row")
    return {
      calls: sizes.get("batch") ?? 0,
      inputs: (row) => Object.fromEntries(read.map(([name, tensor]) => [name, tensor && rowOf(tensor, row)])),
      prefix: (row) => `row ${row}: `,
      sizes,
    };
  return {
    calls: 1,
    inputs: () =>
      Object.fromEntries(
        read.map(([name, tensor]) => [name, tensor && { data: tensor.elements, shape: tensor.shape }]),
      ),
    prefix: () => "",
    sizes,
  };
};

/** All outputs of a request, from what the function returned for each call. @throws InvalidResult */
export const writeAnswer = (
  { outputs, per }: Declaration,
  { sizes }: ReadRequest,
  results: readonly RunInputs[],
): NamedTensors => {
  const write = per === "row" ? writeRows : writeWhole;
  return new Map(
    Object.entries(outputs).map(([name, type]) => {
      const shown = (row?: number): string =>
        row === undefined ? `output ${name}` : `row ${row}: output ${name}`;
      const output = { name, dtype: type.dtype as DType, dims: dimsOf(name, type), shown };
      return [name, write(output, results, sizes)];
    }),
  );
};

/** One row of values as the tensors of a request to another model. @throws InvalidResult, with `shown` for a tensor's name. */
export const writeCall = (
  inputs: Declaration["inputs"],
  values: RunInputs,
  shown: (name: string) => string,
): NamedTensors => {
  const sizes: Sizes = new Map([["batch", 1]]);
  const tensors = new Map<string, TensorData>();
  for (const [name, type] of Object.entries(inputs)) {
    if (values[name] === undefined && type.optional === true) continue;
    const input = { name, dtype: type.dtype as DType, dims: dimsOf(name, type), shown: () => shown(name) };
    if (values[name] === undefined) throw new InvalidResult(`${shown(name)} is missing`);
    tensors.set(name, (type.dims[0] === "batch" ? writeRows : writeWhole)(input, [values], sizes));
  }
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(inputs, name));
  if (unknown !== undefined) throw new InvalidResult(`${shown(unknown)} is not declared`);
  return tensors;
};

/** The answer to `writeCall` as one row of values. @throws InvalidRequest for an answer that its declaration does not allow. */
export const readCall = (
  outputs: Declaration["outputs"],
  answer: NamedTensors,
  shown: (name: string) => string,
): RunInputs => {
  const sizes: Sizes = new Map([["batch", 1]]);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, type]) => {
      const tensor = answer.get(name);
      if (tensor === undefined) throw new InvalidRequest(`${shown(name)} is missing`);
      if (tensor.dtype !== type.dtype)
        throw new InvalidRequest(`${shown(name)} is ${tensor.dtype}, wanted ${type.dtype}`);
      hold(InvalidRequest, shown(name), tensor.shape, dimsOf(name, type), sizes);
      const elements = readElements(name, tensor);
      if (type.dims[0] !== "batch") return [name, { data: elements, shape: tensor.shape }];
      return [name, rowOf({ elements, shape: tensor.shape, scalar: isScalar(type.dims.slice(1)) }, 0)];
    }),
  );
};

/** The result of a call, checked: it has every output that the step declares, and nothing else. @throws InvalidResult */
export const declaredResult = (
  { outputs }: Declaration,
  result: unknown,
  prefix: string,
): Readonly<Record<string, unknown>> => {
  const values = (typeof result === "object" && result !== null ? result : {}) as RunInputs;
  const names = Object.keys(outputs);
  for (const name of names)
    if (!Object.hasOwn(values, name) || values[name] === undefined)
      throw new InvalidResult(`${prefix}output ${name} is missing`);
  const given = Object.keys(values);
  if (given.length === names.length) return values;
  const [unknown] = given
    .filter((name) => values[name] !== undefined && !Object.hasOwn(outputs, name))
    .toSorted();
  if (unknown !== undefined) throw new InvalidResult(`${prefix}output ${unknown} is not declared`);
  return values;
};

interface Given {
  readonly elements: Elements;
  readonly shape: readonly number[];
  /** Whether a row is a single element. */
  readonly scalar: boolean;
}
interface Output {
  readonly name: string;
  readonly dtype: DType;
  readonly dims: readonly (number | string)[];
  /** Its name in messages, for one row or for all. */
  readonly shown: (row?: number) => string;
}

/** An unknown size has its own name, so that it is the same in all rows. */
const dimsOf = (name: string, { dims }: FunctionTensor): readonly (number | string)[] =>
  dims.map((dim, axis) => (dim === -1 ? `${name}.${axis}` : dim));

/** A name has the same size throughout a request. */
const hold = (
  Failure: typeof InvalidRequest | typeof InvalidResult,
  what: string,
  shape: readonly number[],
  dims: readonly (number | string)[],
  sizes: Sizes,
): void => {
  if (shape.length === dims.length)
    dims.forEach((dim, axis) => {
      if (typeof dim === "string" && !sizes.has(dim)) sizes.set(dim, shape[axis] ?? 0);
    });
  const sizeOf = (dim: number | string): number | string =>
    typeof dim === "string" ? (sizes.get(dim) ?? dim) : dim;
  if (shape.length === dims.length && dims.every((dim, axis) => sizeOf(dim) === shape[axis])) return;
  throw new Failure(`${what} has shape [${shape.join(", ")}], wanted [${dims.map(sizeOf).join(", ")}]`);
};

/** The element itself, an array of elements, or `{ data, shape }`. */
const rowOf = ({ elements, scalar, shape: [rows = 0, ...shape] }: Given, row: number): unknown => {
  if (scalar) return elements[row];
  const size = elements.length / (rows === 0 ? 1 : rows);
  const data = elements.slice(row * size, (row + 1) * size);
  return shape.length === 1 ? data : { data, shape };
};

const isScalar = (dims: readonly (number | string)[]): boolean =>
  dims.length === 0 || (dims.length === 1 && dims[0] === 1);

const writeRows = (output: Output, results: readonly RunInputs[], sizes: Sizes): TensorData => {
  const { name, dtype } = output;
  const inner = output.dims.slice(1);
  let shape = inner.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? 0) : dim));
  const rows = results.map((result, row): Part => {
    const value = result[name];
    if (isScalar(inner)) return [value];
    const what = output.shown(row);
    const [data, size] = inner.length === 1 ? arrayOf(what, value) : elementsOf(what, value);
    hold(InvalidResult, what, size, inner, sizes);
    shape = [...size];
    return data;
  });
  try {
    return writeElements(name, dtype, [rows.length, ...shape], rows);
  } catch (error) {
    for (const [row, values] of rows.entries())
      writeElements(output.shown(row), dtype, [values.length], [values]);
    throw error;
  }
};

const arrayOf = (what: string, value: unknown): readonly [Part, readonly number[]] => {
  if (!isList(value)) throw new InvalidResult(`${what} is not an array`);
  return [value, [value.length]];
};

const elementsOf = (what: string, value: unknown): readonly [Part, readonly number[]] => {
  const { data, shape } = unpack(what, value);
  return [data, shape];
};

const writeWhole = (
  { name, dtype, dims, shown }: Output,
  [result]: readonly RunInputs[],
  sizes: Sizes,
): TensorData => {
  const what = shown();
  const { data, shape } = unpack(what, result?.[name]);
  hold(InvalidResult, what, shape, dims, sizes);
  return writeElements(what, dtype, shape, [data]);
};
