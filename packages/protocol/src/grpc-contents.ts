import {
  byteLength,
  type DType,
  elementCount,
  elementSize,
  type FixedDType,
  type TensorData,
} from "@tritype/core";
import { countVarints, readVarint, unreadable, wireFields } from "./grpc-wire.ts";
import { invalid } from "./json-value.ts";
import { requireElements, requireFewElements, type TensorOwner } from "./raw-data.ts";
import { type Steps, stepSize } from "./steps.ts";

/**
 * Each field of `InferTensorContents`, by its number minus one: the dtypes it may hold; the last is named in errors.
 */
const fields: readonly (readonly DType[])[] = [
  ["BOOL"],
  ["INT8", "INT16", "INT32"],
  ["INT64"],
  ["UINT8", "UINT16", "UINT32"],
  ["UINT64"],
  ["FP32"],
  ["FP64"],
  ["BYTES"],
];

/**
 * A tensor with typed contents, given as the bytes of an `InferTensorContents`. FP16 and BF16 have no field. Elements
 * beyond the shape are counted, not read.
 * @throws PipelineError `request/invalid` if a field of another dtype or a second field is set, or the number of texts does not match the
 * shape; `request/malformed` if the bytes are not such a message.
 */
export function* readContents(
  owner: TensorOwner,
  dtype: DType,
  shape: readonly number[],
  bytes: Uint8Array,
): Steps<TensorData> {
  const counts = yield* countElements(owner, bytes);
  let isSupplied = false;
  counts.forEach((count, index) => {
    if (count === 0) return;
    const dtypes = fields[index] as readonly DType[];
    if (isSupplied)
      throw invalid(
        `unexpected explicit tensor data for input tensor '${owner.input}' for model '${owner.model}', binary data was already supplied.`,
      );
    isSupplied = true;
    if (!dtypes.includes(dtype))
      throw invalid(
        `unexpected explicit tensor data for input tensor '${owner.input}' for model '${owner.model}' of type '${dtypes.at(-1)}', expected datatype '${dtype}'`,
      );
  });
  const id = fields.findIndex((dtypes) => dtypes.includes(dtype)) + 1;
  if (dtype === "BYTES") {
    const data: Uint8Array[] = [];
    for (const field of wireFields(bytes)) {
      if (field.id === id) data.push(bytes.subarray(field.start, field.end));
      if (data.length % stepSize === stepSize - 1) yield;
    }
    return requireElements(owner, { dtype, shape, data });
  }
  const count = counts[id - 1] ?? 0;
  const data = new Uint8Array(byteLength(dtype, [count]));
  // For any other number of elements, the model's check rejects the tensor, because its size does not match its shape.
  if (count === elementCount(shape)) yield* fill(new DataView(data.buffer), dtype, bytes, id);
  return { dtype, shape, data };
}

/** The number of elements in each field. */
function* countElements(owner: TensorOwner, bytes: Uint8Array): Steps<readonly number[]> {
  const counts = fields.map(() => 0);
  let seen = 0;
  for (const field of wireFields(bytes)) {
    if (++seen % stepSize === 0) yield;
    const dtypes = fields[field.id - 1];
    if (dtypes === undefined) continue;
    const size = fixedSize(dtypes[0] as DType);
    const count =
      field.type !== 2 || field.id === 8
        ? 1
        : size === undefined
          ? yield* countVarints(bytes.subarray(field.start, field.end), Number.POSITIVE_INFINITY)
          : (field.end - field.start) / size;
    if (!Number.isInteger(count)) throw unreadable();
    counts[field.id - 1] = (counts[field.id - 1] ?? 0) + count;
    if (field.id === 8) requireFewElements(owner, counts[7] ?? 0);
  }
  return counts;
}

/** The size in bytes of an element that is not a varint. */
const fixedSize = (dtype: DType): number | undefined =>
  dtype === "FP32" || dtype === "FP64" ? elementSize(dtype) : undefined;

function* fill(view: DataView, dtype: FixedDType, bytes: Uint8Array, id: number): Steps<void> {
  const size = elementSize(dtype);
  const write = dtype === "BOOL" ? writeBool : (writers[size] as Write);
  let to = 0;
  let seen = 0;
  for (const field of wireFields(bytes)) {
    if (++seen % stepSize === 0) yield;
    if (field.id !== id) continue;
    if (fixedSize(dtype) !== undefined) {
      new Uint8Array(view.buffer).set(bytes.subarray(field.start, field.end), to);
      to += field.end - field.start;
      continue;
    }
    for (let at = field.start; at < field.end; at = varintEnd(bytes, at)) {
      write(view, to, bytes, at);
      to += size;
      if ((to / size) % stepSize === 0) yield;
    }
  }
}

const varintEnd = (bytes: Uint8Array, at: number): number => {
  let end = at;
  while ((bytes[end] as number) >= 0x80) end++;
  return end + 1;
};

/** The low 32 bits of a varint. */
const low32 = (bytes: Uint8Array, at: number): number => {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i] ?? 0;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) break;
  }
  return value;
};

/** All 64 bits of a varint. */
const all64 = (bytes: Uint8Array, at: number): bigint => {
  let value = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[at + i] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) break;
  }
  return BigInt.asUintN(64, value);
};

/** Writes the varint at `from` as an element at `at`. */
type Write = (view: DataView, at: number, bytes: Uint8Array, from: number) => void;

const writeBool: Write = (view, at, bytes, from) =>
  view.setUint8(at, readVarint(bytes, from)[0] === 0 ? 0 : 1);

/** Writers by the size of the dtype: integers wrap without a check, as in Triton. */
const writers: Readonly<Record<number, Write>> = {
  1: (view, at, bytes, from) => view.setUint8(at, low32(bytes, from)),
  2: (view, at, bytes, from) => view.setUint16(at, low32(bytes, from), true),
  4: (view, at, bytes, from) => view.setUint32(at, low32(bytes, from), true),
  8: (view, at, bytes, from) => view.setBigUint64(at, all64(bytes, from), true),
};
