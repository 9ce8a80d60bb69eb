import { concatBytes } from "@tritype/core";

/** The bytes of a file from `offset` on; fewer than `length` at its end. */
export type ReadAt = (offset: number, length: number) => Uint8Array | undefined;

/** A message of onnx.proto: its fields that are messages to be visited, and those that contain values of tensors. */
interface MessageOutline {
  readonly inner: Readonly<Record<number, () => MessageOutline>>;
  readonly values?: ReadonlySet<number>;
}

const tensor: MessageOutline = { inner: {}, values: new Set([4, 5, 6, 7, 9, 10, 11]) };
const sparseTensor: MessageOutline = { inner: { 1: () => tensor, 2: () => tensor } };
const attribute: MessageOutline = {
  inner: { 5: () => tensor, 6: () => graph, 10: () => tensor, 11: () => graph },
};
const node: MessageOutline = { inner: { 5: () => attribute } };
const graph: MessageOutline = { inner: { 1: () => node, 5: () => tensor, 15: () => sparseTensor } };
const model: MessageOutline = { inner: { 7: () => graph, 25: () => ({ inner: { 7: () => node } }) } };

/**
 * The bytes of a model file without the values of its tensors: gigabytes become kilobytes with the same signature, and
 * only the small parts of the file are read. A truncated file stays truncated. undefined if the file cannot be read or
 * is not a protobuf message.
 */
export const readModelOutline = (size: number, readAt: ReadAt): Uint8Array | undefined => {
  const source = windowed(size, readAt);
  try {
    return concatBytes(outlineOf(source, model, 0, size));
  } catch (error) {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  }
};

class UnreadableFile extends Error {}

/** Messages up to this many bytes are copied unchanged. */
const smallMessage = 1024;
const windowSize = 65_536;

export interface Source {
  readonly size: number;
  readonly byte: (at: number) => number;
  readonly bytes: (start: number, end: number) => Uint8Array;
}

export const windowed = (size: number, readAt: ReadAt): Source => {
  let [start, loaded] = [0, new Uint8Array()];
  const bytes = (from: number, to: number): Uint8Array => {
    const found = readAt(from, to - from);
    if (found?.length !== to - from) throw new UnreadableFile();
    return found;
  };
  return {
    size,
    byte(at) {
      if (at < start || at >= start + loaded.length) {
        start = at;
        loaded = Uint8Array.from(bytes(at, Math.min(size, at + windowSize)));
      }
      const byte = loaded[at - start];
      if (byte === undefined) throw new UnreadableFile();
      return byte;
    },
    bytes: (from, to) =>
      from >= start && to <= start + loaded.length
        ? loaded.slice(from - start, to - start)
        : Uint8Array.from(bytes(from, to)),
  };
};

const outlineOf = (source: Source, outline: MessageOutline, start: number, end: number): Uint8Array[] => {
  const kept: Uint8Array[] = [];
  /** The beginning of the unchanged fields that are not in `kept` yet. */
  let run = start;
  const keepUntil = (place: number): void => {
    if (place > run) kept.push(source.bytes(run, place));
  };
  for (let at = start; at < end; ) {
    const { number, body, next, delimited, ...field } = fieldAt(source, at, end);
    at = next;
    // The decoder then finds the file's end in the middle of the field; messages never have a field 0.
    if (next > end || number === 0) {
      keepUntil(number === 0 ? field.start + 1 : Math.min(body, end));
      return kept;
    }
    const values = delimited && outline.values?.has(number) === true;
    const inner = outline.inner[number];
    if (!values && (!delimited || inner === undefined || next - body <= smallMessage)) continue;
    keepUntil(field.start);
    run = next;
    if (values || inner === undefined) continue;
    const message = concatBytes(outlineOf(source, inner(), body, next));
    kept.push(Uint8Array.from([...varint(number * 8 + 2), ...varint(message.length)]), message);
  }
  keepUntil(end);
  return kept;
};

export interface FieldPlace {
  readonly number: number;
  readonly start: number;
  /** The offset where the value begins. */
  readonly body: number;
  readonly next: number;
  /** Text, bytes, packed numbers or a message. */
  readonly delimited: boolean;
}

export const fieldAt = (source: Source, start: number, end: number): FieldPlace => {
  const tag = varintAt(source, start, end);
  const place = { number: Math.floor(tag.value / 8), start, body: tag.next, delimited: false };
  switch (tag.value % 8) {
    case 0:
      return { ...place, next: varintAt(source, tag.next, end).next };
    case 1:
      return { ...place, next: tag.next + 8 };
    case 2: {
      const length = varintAt(source, tag.next, end);
      return { ...place, body: length.next, next: length.next + length.value, delimited: true };
    }
    case 5:
      return { ...place, next: tag.next + 4 };
    default:
      throw new UnreadableFile();
  }
};

const varintAt = (
  source: Source,
  start: number,
  end: number,
): { readonly value: number; readonly next: number } => {
  let value = 0;
  for (let at = start; at < Math.min(end, start + 10); at++) {
    const byte = source.byte(at);
    value += (byte % 128) * 2 ** (7 * (at - start));
    if (byte < 128) return { value, next: at + 1 };
  }
  if (end - start < 10) return { value, next: end + 1 };
  throw new UnreadableFile();
};

export const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
