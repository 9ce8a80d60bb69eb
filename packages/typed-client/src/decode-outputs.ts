import { withToArray } from "@tritype/core";
import { tryDecodeText, unpackByteStrings } from "./byte-strings.ts";
import { ClientError } from "./client-error.ts";
import {
  type Contract,
  isOpen,
  nestedDims,
  type RawTensor,
  showType,
  type Tensor,
  type TensorType,
  wireType,
} from "./contract.ts";
import { elementCount, elementKinds } from "./elements.ts";
import type { WireTensor } from "./transport.ts";

/** Names of the requested outputs, and of the outputs to return as bytes instead of text. */
export interface WantedOutputs {
  readonly outputs: readonly string[];
  readonly raw: readonly string[];
}

/**
 * The wanted outputs by name.
 * @param mayLack Whether outputs may be missing from the answer, as from those of a decoupled model.
 * @throws ClientError `malformed` if one is missing, does not match the contract, or is not text and was not requested raw.
 */
export const decodeOutputs = (
  contract: Contract,
  { outputs, raw }: WantedOutputs,
  answer: readonly WireTensor[],
  mayLack = false,
): Readonly<Record<string, Tensor | RawTensor>> => {
  const byName = new Map(answer.map((tensor) => [tensor.name, tensor]));
  const found = mayLack ? outputs.filter((name) => byName.has(name)) : outputs;
  return Object.fromEntries(
    found.map((name) => {
      const declared = contract.outputs[name];
      const tensor = byName.get(name);
      if (declared === undefined || tensor === undefined)
        throw new ClientError("malformed", `the answer of ${contract.name} has no output \`${name}\``, {
          tensor: name,
          mayHaveRun: true,
        });
      const type = wireType(declared);
      requireType(type, tensor);
      return [name, decode(type, tensor, raw.includes(name))];
    }),
  );
};

/** The error for an output that does not match its type. */
export const unreadable = (tensor: string, got: string, expected: string): ClientError =>
  new ClientError("malformed", `output \`${tensor}\`: expected ${expected}, got ${got}`, {
    tensor,
    expected,
    got,
    mayHaveRun: true,
  });

const requireType = (type: TensorType, tensor: WireTensor): void => {
  const { dtype, shape } = tensor;
  const fits =
    dtype === type.dtype &&
    shape.length === type.dims.length &&
    shape.every((size) => Number.isSafeInteger(size) && size >= 0) &&
    // Nested arrays with a shape like [1000000000, 0] would use memory although the answer contains no elements.
    !(shape.includes(0) && Math.max(...shape) > 1e6) &&
    type.dims.every((dim, axis) => isOpen(dim) || dim === shape[axis]);
  if (!fits) throw unreadable(tensor.name, showType({ dtype, dims: shape }), showType(type));
};

const decode = (type: TensorType, tensor: WireTensor, raw: boolean): Tensor | RawTensor => {
  const { shape } = tensor;
  const count = elementCount(shape);
  if (raw) return { dtype: "BYTES", shape, data: byteStrings(tensor, count) };
  const data = type.dtype === "BYTES" ? texts(tensor, count) : numbers(type.dtype, tensor, count);
  const sizes = nestedDims(type.dims).map((axis) => shape[axis] ?? 1);
  return withToArray({ dtype: type.dtype, shape, data }, () => nest(data, sizes));
};

const byteStrings = (tensor: WireTensor, count: number): readonly Uint8Array[] => {
  const elements = unpackByteStrings(tensor.data, count);
  if (elements === undefined)
    throw unreadable(
      tensor.name,
      `${tensor.data.byteLength} bytes that do not contain such a list`,
      `${count} byte strings`,
    );
  return elements;
};

const texts = (tensor: WireTensor, count: number): readonly string[] =>
  byteStrings(tensor, count).map((element, index) => {
    const text = tryDecodeText(element);
    if (text !== undefined) return text;
    const { name } = tensor;
    throw new ClientError(
      "malformed",
      `output \`${name}\`: element ${index} is not UTF-8; ask for its bytes with { raw: [${JSON.stringify(name)}] }`,
      { tensor: name, expected: "UTF-8", mayHaveRun: true },
    );
  });

/** Shares memory with the answer if its elements are aligned. */
const numbers = (
  dtype: Exclude<TensorType["dtype"], "BYTES">,
  tensor: WireTensor,
  count: number,
): unknown => {
  const { array, load } = elementKinds[dtype];
  const size = array.BYTES_PER_ELEMENT;
  const { data } = tensor;
  if (data.byteLength !== count * size)
    throw unreadable(tensor.name, `${data.byteLength} bytes`, `${count * size} bytes`);
  const { buffer, byteOffset } = data.byteOffset % size === 0 ? data : data.slice();
  const stored = new array(buffer, byteOffset, count);
  return load?.(stored) ?? stored;
};

const nest = (data: unknown, sizes: readonly number[]): unknown => {
  const elements = data as ArrayLike<unknown>;
  const build = (depth: number, start: number, end: number): unknown => {
    if (depth === sizes.length) return elements[start];
    const size = sizes[depth] ?? 0;
    const step = size === 0 ? 0 : (end - start) / size;
    return Array.from({ length: size }, (_, index) =>
      build(depth + 1, start + index * step, start + (index + 1) * step),
    );
  };
  return build(0, 0, elements.length);
};
