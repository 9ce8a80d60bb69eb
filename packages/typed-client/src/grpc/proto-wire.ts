import { concatBytes } from "@tritype/core";

const text = new TextEncoder();

/** Builds one protobuf message; fields are in the order of the calls. Zero and empty values are left out, as proto3 does. */
export interface ProtoWriter {
  string(field: number, value: string): ProtoWriter;
  bool(field: number, value: boolean): ProtoWriter;
  /** int64 and uint64. */
  integer(field: number, value: number | bigint): ProtoWriter;
  double(field: number, value: number): ProtoWriter;
  /** Written even if empty, because it is an element of a list or a set member of a oneof. */
  bytes(field: number, value: Uint8Array): ProtoWriter;
  message(field: number, value: ProtoWriter): ProtoWriter;
  /** A repeated int64, in one field. */
  integers(field: number, values: readonly number[]): ProtoWriter;
  finish(): Uint8Array<ArrayBuffer>;
}

export const writeProto = (): ProtoWriter => {
  const parts: Uint8Array[] = [];
  const tag = (field: number, wire: number): void => void parts.push(varint((field << 3) | wire));
  const block = (field: number, value: Uint8Array): void => {
    tag(field, 2);
    parts.push(varint(value.byteLength), value);
  };
  const writer: ProtoWriter = {
    string: (field, value) => {
      if (value !== "") block(field, text.encode(value));
      return writer;
    },
    bool: (field, value) => {
      tag(field, 0);
      parts.push(varint(Number(value)));
      return writer;
    },
    integer: (field, value) => {
      tag(field, 0);
      parts.push(varint(value));
      return writer;
    },
    double: (field, value) => {
      tag(field, 1);
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setFloat64(0, value, true);
      parts.push(bytes);
      return writer;
    },
    bytes: (field, value) => {
      block(field, value);
      return writer;
    },
    message: (field, value) => {
      block(field, value.finish());
      return writer;
    },
    integers: (field, values) => {
      if (values.length > 0) block(field, concatBytes(values.map(varint)));
      return writer;
    },
    finish: () => concatBytes(parts),
  };
  return writer;
};

const varint = (value: number | bigint): Uint8Array => {
  const bytes: number[] = [];
  if (typeof value === "number" && value >= 0 && value < 2 ** 31) {
    // Lengths and most sizes are much faster to write without bigints.
    let small = value;
    for (; small > 127; small >>>= 7) bytes.push((small & 127) | 128);
    return Uint8Array.of(...bytes, small);
  }
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Uint8Array.of(...bytes, Number(rest));
};

/** One field of a message: a varint, or the bytes of anything longer. */
export interface ProtoField {
  readonly field: number;
  readonly integer: bigint;
  /** Shares memory with the message. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const nothing = new Uint8Array(0);

/** The fields in their order. @throws RangeError if the bytes are not a message. */
export const readProto = (message: Uint8Array<ArrayBuffer>): readonly ProtoField[] => {
  const fields: ProtoField[] = [];
  let at = 0;
  const take = (length: number): Uint8Array<ArrayBuffer> => {
    if (at + length > message.byteLength) throw new RangeError("the message ends early");
    at += length;
    return message.subarray(at - length, at);
  };
  const integer = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte = 0] = take(1);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new RangeError("a number is too long");
  };
  while (at < message.byteLength) {
    const key = Number(integer());
    const field = key >>> 3;
    const wire = key & 7;
    if (wire === 0) fields.push({ field, integer: integer(), bytes: nothing });
    else if (wire === 1) fields.push({ field, integer: 0n, bytes: take(8) });
    else if (wire === 2) fields.push({ field, integer: 0n, bytes: take(Number(integer())) });
    else if (wire === 5) fields.push({ field, integer: 0n, bytes: take(4) });
    else throw new RangeError(`wire type ${wire} is unknown`);
  }
  return fields;
};

/** Repeated int64, packed or not. */
export const readIntegers = (fields: readonly ProtoField[], field: number): readonly number[] =>
  fields
    .filter((one) => one.field === field)
    .flatMap((one) => (one.bytes.byteLength === 0 ? [one.integer] : unpack(one.bytes)))
    .map((value) => Number(BigInt.asIntN(64, value)));

/** The numbers of a packed list. */
const unpack = (packed: Uint8Array): readonly bigint[] => {
  const values: bigint[] = [];
  let value = 0n;
  let shift = 0n;
  for (const byte of packed) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte > 127) continue;
    values.push(value);
    value = 0n;
    shift = 0n;
  }
  return values;
};
