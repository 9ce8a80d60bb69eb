import { byteLength, type DType, elementCount, type TensorData, requestPrefix } from "@tritype/core";
import { invalid } from "./json-value.ts";
import { finish, type Steps, stepSize } from "./steps.ts";

/** The owner of the tensor, for error messages. */
export interface TensorOwner {
  readonly model: string;
  readonly input: string;
  /** The request's id; "" if it has none. */
  readonly id: string;
}

/**
 * The tensor in its binary form: little-endian and row-major; BYTES elements are a uint32 length and that many bytes.
 * Shares memory with `bytes`.
 * @throws PipelineError `request/invalid` if size and shape do not match.
 */
export const readRawData = (
  owner: TensorOwner,
  dtype: DType,
  shape: readonly number[],
  bytes: Uint8Array,
): TensorData => {
  if (dtype === "BYTES")
    return requireElements(owner, { dtype, shape, data: finish(splitElements(owner, shape, bytes)) });
  const expected = byteLength(dtype, shape);
  if (bytes.byteLength !== expected)
    throw invalid(
      `${requestPrefix(owner.id)}input byte size mismatch for ${place(owner)}. Expected ${expected}, got ${bytes.byteLength}`,
    );
  return { dtype, shape, data: bytes };
};

/** A request's id, which Triton reads as a C string. */
export const requestId = (text: string): string => {
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
};

/**
 * The tensor of a request. As in Triton, the model's check compares its size with the shape, after names, dtypes and
 * shapes.
 * @throws PipelineError `request/invalid` if BYTES cannot be split.
 */
export function* requestRawData(
  owner: TensorOwner,
  dtype: DType,
  shape: readonly number[],
  bytes: Uint8Array,
): Steps<TensorData> {
  if (dtype !== "BYTES") return { dtype, shape, data: bytes };
  return requireElements(owner, { dtype, shape, data: yield* splitElements(owner, shape, bytes) });
}

/**
 * Each element is an object of about a hundred bytes; without a limit, 64 MiB of empty strings would exhaust the
 * memory.
 */
const maxTextElements = 2 ** 21;

/** @throws PipelineError `request/invalid` for more strings than this server accepts in one tensor. */
export const requireFewElements = (owner: TensorOwner, count: number): void => {
  if (count > maxTextElements)
    throw invalid(
      `${requestPrefix(owner.id)}${place(owner)} has more than ${maxTextElements} string elements, the maximum that this server reads`,
    );
};

/** @throws PipelineError `request/invalid` if the number of elements of a BYTES tensor does not match its shape. */
export const requireElements = (owner: TensorOwner, tensor: TensorData): TensorData => {
  if (tensor.dtype !== "BYTES") return tensor;
  const [got, expected] = [tensor.data.length, elementCount(tensor.shape)];
  if (got > expected) throw tooManyElements(owner, expected);
  if (got < expected) throw tooFewElements(owner, expected, got);
  return tensor;
};

const place = (owner: TensorOwner): string => `input '${owner.input}' for model '${owner.model}'`;

const tooManyElements = (owner: TensorOwner, expected: number): Error =>
  invalid(
    `${requestPrefix(owner.id)}unexpected number of string elements ${expected + 1} for inference ${place(owner)}, expecting ${expected}`,
  );

const tooFewElements = (owner: TensorOwner, expected: number, got: number): Error =>
  invalid(
    `${requestPrefix(owner.id)}expected ${expected} string elements for inference ${place(owner)}, got ${got}`,
  );

function* splitElements(
  owner: TensorOwner,
  shape: readonly number[],
  bytes: Uint8Array,
): Steps<Uint8Array[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const expected = elementCount(shape);
  const elements: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const left = bytes.byteLength - at;
    if (left < 4)
      throw invalid(
        `${requestPrefix(owner.id)}incomplete string length indicator for inference ${place(owner)}, expecting 4 bytes but only ${left} bytes available. Please make sure the string length indicator is in one buffer.`,
      );
    if (elements.length === expected) throw tooManyElements(owner, expected);
    if (elements.length % stepSize === stepSize - 1) {
      requireFewElements(owner, elements.length + 1);
      yield;
    }
    const length = view.getUint32(at, true);
    // Triton first counts elements; only the model checks where the last one ends.
    if (length > left - 4 && elements.length + 1 < expected)
      throw tooFewElements(owner, expected, elements.length + 1);
    if (length > left - 4)
      throw invalid(
        `incomplete string data for inference input '${owner.input}', expecting string of length ${length} but only ${left - 4} bytes available`,
      );
    elements.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return elements;
}
