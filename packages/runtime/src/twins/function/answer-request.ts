import type { DType, NamedTensors, TensorData } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";
import { InvalidRequest, InvalidResult } from "./function-failure.ts";
import { type Elements, isList, readElements, unpack, writeElements } from "./function-values.ts";

/** The user's function: maps one row, or the tensors of a request, to the corresponding outputs. */
export type Run = (inputs: Readonly<Record<string, unknown>>) => unknown;

/** The message of a function's error, including its position. */
export type Tell = (error: unknown) => string;

/**
 * Does the same as `answer` in an emitted `model.py`, with the same texts: returns all outputs of a request.
 * @throws InvalidRequest, InvalidResult
 */
export const answerRequest = (
  run: Run,
  { inputs, outputs, per }: FunctionTwinOptions,
  given: NamedTensors,
  tell: Tell,
): NamedTensors => {
  const sizes = new Map<string, number>();
  const read = Object.entries(inputs).map(([name, type]): [string, Given | undefined] => {
    const tensor = given.get(name);
    if (tensor === undefined) return [name, undefined];
    hold(InvalidRequest, `input ${name}`, tensor.shape, dimsOf(name, type), sizes);
    const { shape } = tensor;
    return [name, { elements: readElements(name, tensor), shape, scalar: isScalar(type.dims.slice(1)) }];
  });
  const names = Object.keys(outputs);
  const results = per === "row" ? callRows(run, read, names, sizes, tell) : callOnce(run, read, names, tell);
  const write = per === "row" ? writeRows : writeRequest;
  return new Map(
    Object.entries(outputs).map(([name, type]) => [
      name,
      write({ name, dtype: type.dtype as DType, dims: dimsOf(name, type) }, results, sizes),
    ]),
  );
};

interface Given {
  readonly elements: Elements;
  readonly shape: readonly number[];
  /** Whether a row is a single element. */
  readonly scalar: boolean;
}
type Read = readonly (readonly [string, Given | undefined])[];
type Sizes = Map<string, number>;
type Result = Readonly<Record<string, unknown>>;
interface Output {
  readonly name: string;
  readonly dtype: DType;
  readonly dims: readonly (number | string)[];
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
  const wanted = dims.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? dim) : dim));
  if (shape.length !== wanted.length || shape.some((size, axis) => size !== wanted[axis]))
    throw new Failure(`${what} has shape [${shape.join(", ")}], wanted [${wanted.join(", ")}]`);
};

const callRows = (
  run: Run,
  read: Read,
  names: readonly string[],
  sizes: Sizes,
  tell: Tell,
): readonly Result[] =>
  Array.from({ length: sizes.get("batch") ?? 0 }, (_, row) => {
    const inputs = Object.fromEntries(read.map(([name, given]) => [name, given && rowOf(given, row)]));
    let result: unknown;
    try {
      result = run(inputs);
    } catch (error) {
      throw new InvalidResult(`row ${row}: ${tell(error)}`);
    }
    return declared(`row ${row}: `, result as Result, names);
  });

const callOnce = (run: Run, read: Read, names: readonly string[], tell: Tell): readonly Result[] => {
  const inputs = Object.fromEntries(
    read.map(([name, given]) => [name, given && { data: given.elements, shape: given.shape }]),
  );
  let result: unknown;
  try {
    result = run(inputs);
  } catch (error) {
    throw new InvalidResult(tell(error));
  }
  return [declared("", result as Result, names)];
};

/** The function must return every output that the step declares, and nothing else. */
const declared = (row: string, result: Result, names: readonly string[]): Result => {
  for (const name of names)
    if (!Object.hasOwn(result, name) || result[name] === undefined)
      throw new InvalidResult(`${row}output ${name} is missing`);
  for (const name of Object.keys(result).toSorted())
    if (result[name] !== undefined && !names.includes(name))
      throw new InvalidResult(`${row}output ${name} is not declared`);
  return result;
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

const writeRows = (output: Output, results: readonly Result[], sizes: Sizes): TensorData => {
  const { name, dtype } = output;
  const inner = output.dims.slice(1);
  let shape = inner.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? 0) : dim));
  const rows = results.map((result, row) => {
    const value = result[name];
    if (isScalar(inner)) return [value];
    const what = `row ${row}: output ${name}`;
    const [data, size] = inner.length === 1 ? arrayOf(what, value) : elementsOf(what, value);
    hold(InvalidResult, what, size, inner, sizes);
    shape = [...size];
    return data;
  });
  try {
    return writeElements(name, dtype, [rows.length, ...shape], rows.flat());
  } catch (error) {
    for (const [row, values] of rows.entries())
      writeElements(`row ${row}: output ${name}`, dtype, [values.length], values);
    throw error;
  }
};

const arrayOf = (what: string, value: unknown): readonly [readonly unknown[], readonly number[]] => {
  if (!isList(value)) throw new InvalidResult(`${what} is no array`);
  return [[...value], [value.length]];
};

const elementsOf = (what: string, value: unknown): readonly [readonly unknown[], readonly number[]] => {
  const { data, shape } = unpack(what, value);
  return [data, shape];
};

const writeRequest = (
  { name, dtype, dims }: Output,
  [result]: readonly Result[],
  sizes: Sizes,
): TensorData => {
  const what = `output ${name}`;
  const { data, shape } = unpack(what, result?.[name]);
  hold(InvalidResult, what, shape, dims, sizes);
  return writeElements(what, dtype, shape, data);
};
