import { malformed } from "./json-value.ts";
import type { Steps } from "./steps.ts";

/** One field of an encoded message: its number, and the position of its value. */
export interface WireField {
  readonly id: number;
  /** 0: varint, 1: eight bytes, 2: a length and that many bytes, 5: four bytes. */
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

/** A varint up to 2^53; larger ones lose precision. @throws PipelineError if the bytes end within it. */
export const readVarint = (bytes: Uint8Array, at: number): readonly [value: number, end: number] => {
  let value = 0;
  let factor = 1;
  for (let i = at; i < at + 10; i++) {
    const byte = bytes[i];
    if (byte === undefined) break;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, i + 1];
    factor *= 128;
  }
  throw unreadable();
};

/**
 * The fields of a message, one after another.
 * @throws PipelineError `request/malformed` if the bytes are not a message.
 */
export function* wireFields(bytes: Uint8Array): Generator<WireField, void, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const [tag, start] = readVarint(bytes, at);
    const type = tag & 7;
    let from = start;
    let end: number;
    if (type === 0) [, end] = readVarint(bytes, start);
    else if (type === 1) end = start + 8;
    else if (type === 5) end = start + 4;
    else if (type === 2) {
      const [length, first] = readVarint(bytes, start);
      from = first;
      end = first + length;
    } else throw unreadable();
    if (end > bytes.length) throw unreadable();
    yield { id: Math.floor(tag / 8), type, start: from, end };
    at = end;
  }
}

/** The head of a field whose value has this many bytes: its number and length. */
export const printBytesHead = (id: number, length: number): Uint8Array => {
  const head = [(id << 3) | 2];
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) head.push((rest % 0x80) | 0x80);
  return Uint8Array.of(...head, rest);
};

/** The number of varints in a packed field: each ends with a byte below 128. Stops beyond `most`. */
export function* countVarints(bytes: Uint8Array, most: number): Steps<number> {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at] as number) < 0x80 && ++count > most) return count;
    if (at % 65_536 === 65_535) yield;
  }
  return count;
}

/** Triton's error for bytes that are not the method's message. */
export const unreadable = (): Error => malformed("Unable to parse request");
