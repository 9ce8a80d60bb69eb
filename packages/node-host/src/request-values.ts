import { type DType, ownValue } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";
import { InvalidRequest, InvalidResult } from "./function-failure.ts";
import {
  checkElements,
  type Elements,
  type Given,
  isList,
  type Output,
  type Part,
  unpack,
} from "./function-values.ts";

/** The parts of a function's declaration on which its values depend. */
export type Declaration = Pick<FunctionTwinOptions, "inputs" | "outputs" | "per">;

/** A function's argument: an element, a list of elements or `{ data, shape }` for each input, by name. */
export type RunInputs = Readonly<Record<string, unknown>>;

/** A declared tensor, prepared for many requests. */
export interface Port {
  readonly name: string;
  readonly dtype: DType;
  /** An unknown size has its own name, so that it is the same in all rows. */
  readonly dims: readonly (number | string)[];
  /** The dims of a row. */
  readonly inner: readonly (number | string)[];
  /** Whether a row is a single element. */
  readonly isScalar: boolean;
  readonly isOptional: boolean;
}

/** A declaration, prepared for many requests. */
export interface Signature {
  readonly per: Declaration["per"];
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

export const signatureOf = ({ inputs, outputs, per }: Declaration): Signature => ({
  per,
  inputs: portsOf(inputs),
  outputs: portsOf(outputs),
});

export const portsOf = (tensors: Readonly<Record<string, FunctionTensor>>): readonly Port[] =>
  Object.entries(tensors).map(([name, { dtype, dims: declared, optional }]) => {
    const dims = declared.map((dim, axis) => (dim === -1 ? `${name}.${axis}` : dim));
    const inner = dims.slice(1);
    const isScalar = inner.length === 0 || (inner.length === 1 && inner[0] === 1);
    return { name, dtype: dtype as DType, dims, inner, isScalar, isOptional: optional === true };
  });

/** Name of a size → the size, the same in a whole request. */
type Sizes = Map<string, number>;

/** A request as a function sees it. */
export class ReadRequest {
  readonly sizes: Sizes = new Map();
  /** The number of times that the function is called: once for each row, or once. */
  readonly calls: number;
  readonly #signature: Signature;
  readonly #elements: (Elements | undefined)[] = [];
  readonly #given: readonly (Given | undefined)[];

  /**
   * Checks the inputs against the declaration.
   * @param given The inputs in the order of the declaration.
   * @throws InvalidRequest
   */
  constructor(signature: Signature, given: readonly (Given | undefined)[]) {
    this.#signature = signature;
    this.#given = given;
    for (let index = 0; index < signature.inputs.length; index++) {
      const [{ name, dtype, dims, isOptional }, tensor] = [signature.inputs[index] as Port, given[index]];
      if (tensor === undefined && isOptional) continue;
      if (tensor === undefined) throw new InvalidRequest(`input ${name} is missing`); // Triton only counts inputs.
      if (!fits(tensor.shape, dims, this.sizes))
        throw new InvalidRequest(misfit(`input ${name}`, tensor.shape, dims, this.sizes));
      this.#elements[index] = tensor.elements(name, dtype);
    }
    this.calls = signature.per === "row" ? (this.sizes.get("batch") ?? 0) : 1;
  }

  inputs(call: number): RunInputs {
    const { inputs, per } = this.#signature;
    const values: Record<string, unknown> = {};
    for (let index = 0; index < inputs.length; index++) {
      const { name, isScalar } = inputs[index] as Port;
      const [elements, shape = []] = [this.#elements[index], this.#given[index]?.shape];
      if (elements === undefined) values[name] = undefined;
      else values[name] = per === "row" ? rowOf(elements, shape, isScalar, call) : { data: elements, shape };
    }
    return values;
  }

  /** The start of a message about one call: `row 3: `, or "" for a function of all rows. */
  prefix(call: number): string {
    return this.#signature.per === "row" ? `row ${call}: ` : "";
  }
}

/** All outputs of a request, from the function's result for each call. @throws InvalidResult */
export const writeAnswer = (
  { outputs, per }: Signature,
  { sizes }: ReadRequest,
  results: readonly RunInputs[],
): readonly Output[] => {
  const write = per === "row" ? writeRows : writeWhole;
  return outputs.map((port) => write(port, results, sizes, shownOutput));
};

/**
 * One row of values as the tensors of a request to another model, in the order of its inputs.
 * @throws InvalidResult, with `shown` for a tensor's name.
 */
export const writeCall = (
  inputs: readonly Port[],
  values: RunInputs,
  shown: (name: string) => string,
): readonly (Output | undefined)[] => {
  const sizes: Sizes = new Map([["batch", 1]]);
  const written = inputs.map((port) => {
    const { name, dims, isOptional } = port;
    if (ownValue(values, name) === undefined) {
      if (isOptional) return undefined;
      throw new InvalidResult(`${shown(name)} is missing`);
    }
    return (dims[0] === "batch" ? writeRows : writeWhole)(port, [values], sizes, shown);
  });
  const unknown = Object.keys(values).find((name) => !inputs.some((port) => port.name === name));
  if (unknown !== undefined) throw new InvalidResult(`${shown(unknown)} is not declared`);
  return written;
};

/** The answer to `writeCall` as one row of values. @throws InvalidRequest for an answer that its declaration does not allow. */
export const readCall = (
  outputs: readonly Port[],
  answer: readonly (Given | undefined)[],
  shown: (name: string) => string,
): RunInputs => {
  const sizes: Sizes = new Map([["batch", 1]]);
  const values: Record<string, unknown> = {};
  for (const [index, { name, dtype, dims, isScalar }] of outputs.entries()) {
    const tensor = answer[index];
    if (tensor === undefined) throw new InvalidRequest(`${shown(name)} is missing`);
    const { shape } = tensor;
    if (!fits(shape, dims, sizes)) throw new InvalidRequest(misfit(shown(name), shape, dims, sizes));
    const elements = tensor.elements(name, dtype);
    values[name] = dims[0] === "batch" ? rowOf(elements, shape, isScalar, 0) : { data: elements, shape };
  }
  return values;
};

/** The checked result of a call: it has every output that the step declares, and nothing else. @throws InvalidResult */
export const declaredResult = (
  { outputs }: Signature,
  result: unknown,
  request: ReadRequest,
  call: number,
): RunInputs => {
  if (!isObject(result)) {
    const got = result == null ? String(result) : `a ${typeof result}`;
    throw new InvalidResult(`${request.prefix(call)}run returned ${got}, not an object with the outputs`);
  }
  for (const { name } of outputs)
    if (!Object.hasOwn(result, name) || result[name] === undefined)
      throw new InvalidResult(`${request.prefix(call)}output ${name} is missing`);
  const given = Object.keys(result);
  if (given.length === outputs.length) return result;
  const [unknown] = given
    .filter((name) => result[name] !== undefined && !outputs.some((port) => port.name === name))
    .toSorted();
  if (unknown !== undefined)
    throw new InvalidResult(`${request.prefix(call)}output ${unknown} is not declared`);
  return result;
};

export const isObject = (value: unknown): value is RunInputs => typeof value === "object" && value !== null;

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && typeof value["then"] === "function";

/** The name of a tensor in messages, for one row or for all rows. */
type Shown = (name: string, row?: number) => string;

const shownOutput: Shown = (name, row) =>
  row === undefined ? `output ${name}` : `row ${row}: output ${name}`;

/** Whether a shape matches its declaration. A name has the same size throughout a request. */
const fits = (shape: readonly number[], dims: readonly (number | string)[], sizes: Sizes): boolean => {
  if (shape.length !== dims.length) return false;
  let isFitting = true;
  for (let axis = 0; axis < dims.length; axis++) {
    const [dim = 0, size = 0] = [dims[axis], shape[axis]];
    const wanted = typeof dim === "string" ? sizes.get(dim) : dim;
    if (wanted === undefined) sizes.set(dim as string, size);
    else if (wanted !== size) isFitting = false;
  }
  return isFitting;
};

const misfit = (
  what: string,
  shape: readonly number[],
  dims: readonly (number | string)[],
  sizes: Sizes,
): string => {
  const wanted = dims.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? dim) : dim));
  return `${what} has shape [${shape.join(", ")}], wanted [${wanted.join(", ")}]`;
};

/** The element itself, an array of elements, or `{ data, shape }`. */
const rowOf = (elements: Elements, shape: readonly number[], isScalar: boolean, row: number): unknown => {
  if (isScalar) return elements[row];
  const [rows = 0] = shape;
  const size = elements.length / (rows === 0 ? 1 : rows);
  const data = elements.slice(row * size, (row + 1) * size);
  return shape.length === 2 ? data : { data, shape: shape.slice(1) };
};

const writeRows = (port: Port, results: readonly RunInputs[], sizes: Sizes, shown: Shown): Output => {
  const { name, dtype, inner, isScalar } = port;
  let shape = inner.map((dim) => (typeof dim === "string" ? (sizes.get(dim) ?? 0) : dim));
  const rows: Part[] = [];
  for (let row = 0; row < results.length; row++) {
    const value = awaited(results[row]?.[name], name, shown, row);
    if (isScalar) {
      rows.push([value]);
      continue;
    }
    const { data, shape: size } =
      inner.length === 1 ? arrayOf(name, value, row, shown) : unpack(shown(name, row), value);
    if (!fits(size, inner, sizes)) throw new InvalidResult(misfit(shown(name, row), size, inner, sizes));
    shape = [...size];
    rows.push(data);
  }
  try {
    return checkElements(name, dtype, [rows.length, ...shape], rows);
  } catch (error) {
    for (const [row, values] of rows.entries())
      checkElements(shown(name, row), dtype, [values.length], [values]);
    throw error;
  }
};

const awaited = (value: unknown, name: string, shown: Shown, row?: number): unknown => {
  if (isPromise(value)) throw new InvalidResult(`${shown(name, row)} is a Promise: await it`);
  return value;
};

const arrayOf = (
  name: string,
  value: unknown,
  row: number,
  shown: Shown,
): { readonly data: Part; readonly shape: readonly number[] } => {
  if (!isList(value)) throw new InvalidResult(`${shown(name, row)} is not an array`);
  return { data: value, shape: [value.length] };
};

const writeWhole = (
  { name, dtype, dims }: Port,
  [result]: readonly RunInputs[],
  sizes: Sizes,
  shown: Shown,
): Output => {
  const what = shown(name);
  const { data, shape } = unpack(what, awaited(result?.[name], name, shown));
  if (!fits(shape, dims, sizes)) throw new InvalidResult(misfit(what, shape, dims, sizes));
  return checkElements(what, dtype, shape, [data]);
};
