import { tryDecodeUtf8 } from "@tritype/core";
import { readNumber } from "./json-number.ts";
import { char, characterStart, notUtf8, readEscape, skipPlain, wordAt } from "./json-text.ts";
import { type Steps, stepSize } from "./steps.ts";

/** Takes the elements of a tensor's `data`, at any nesting; each throws what is wrong with an element of that kind. */
export interface DataReader {
  /** An array within arrays, so many deep. */
  readonly nest: (depth: number) => void;
  readonly number: (value: number, integer: boolean, start: number, end: number) => void;
  readonly word: (value: boolean | null) => void;
  /** Undefined for a string that is not wanted. */
  readonly string: ((bytes: Uint8Array) => void) | undefined;
  /** An object, or a string that is not wanted. */
  readonly other: () => never;
}

/** Reads an array that has been checked, element by element. Strings without escapes share memory with it. */
export function* readDataText(bytes: Uint8Array, reader: DataReader): Steps<void> {
  let depth = 0;
  let paused = 0;
  for (let at = 0; ; ) {
    if (at - paused > stepSize) {
      paused = at;
      yield;
    }
    const byte = bytes[at] as number;
    if (byte === char.comma || byte <= 0x20) at++;
    else if (byte === char.openArray) {
      reader.nest(depth++);
      at++;
    } else if (byte === char.closeArray) {
      at++;
      if (--depth === 0) return;
    } else if (byte === char.quote) {
      if (reader.string === undefined) reader.other();
      else {
        const { text, end } = yield* readText(bytes, at);
        reader.string(text);
        at = end;
      }
    } else if (byte === char.openObject) reader.other();
    else {
      const word = wordAt(bytes, at);
      if (word === undefined) {
        const { value, end, integer } = readNumber(bytes, at);
        reader.number(value, integer, at, end);
        at = end;
      } else {
        reader.word(word[1]);
        at += word[0].length;
      }
    }
  }
}

/** A string as UTF-8. @param start Of its opening quotation mark. */
function* readText(
  bytes: Uint8Array,
  start: number,
): Steps<{ readonly text: Uint8Array; readonly end: number }> {
  const from = start + 1;
  let escaped = false;
  let paused = from;
  let at = from;
  for (let checked = from; ; ) {
    at = skipPlain(bytes, at, Math.min(bytes.length, at + stepSize));
    const byte = bytes[at];
    const pauses = byte !== char.quote && byte !== char.backslash;
    const whole = pauses ? characterStart(bytes, at) : at;
    requireUtf8(bytes, checked, whole);
    checked = whole;
    if (byte === char.quote) break;
    if (byte === char.backslash) {
      escaped = true;
      at += 2;
    }
    if (at - paused < stepSize) continue;
    paused = at;
    yield;
  }
  const raw = bytes.subarray(from, at);
  return { text: escaped ? yield* withoutEscapes(raw) : raw, end: at + 1 };
}

/** What a string's text means; never longer than it is. */
function* withoutEscapes(raw: Uint8Array): Steps<Uint8Array> {
  const text = new Uint8Array(raw.length);
  let length = 0;
  let paused = 0;
  for (let at = 0; at < raw.length; ) {
    if (at - paused > stepSize) {
      paused = at;
      yield;
    }
    const plain = skipPlain(raw, at, Math.min(raw.length, at + stepSize));
    text.set(raw.subarray(at, plain), length);
    length += plain - at;
    at = plain;
    if (raw[at] !== char.backslash) continue;
    const { codePoint, end } = readEscape(raw, at);
    length = writeUtf8(text, length, codePoint);
    at = end;
  }
  return text.subarray(0, length);
}

const requireUtf8 = (bytes: Uint8Array, from: number, to: number): void => {
  for (let at = from; at < to; at++)
    if ((bytes[at] as number) >= 0x80) {
      if (tryDecodeUtf8(bytes.subarray(from, to)) === undefined) throw notUtf8();
      return;
    }
};

/** Returns where the next character goes. */
const writeUtf8 = (text: Uint8Array, at: number, codePoint: number): number => {
  const tail = (shift: number): number => 0x80 | ((codePoint >> shift) & 0x3f);
  const bytes =
    codePoint < 0x80
      ? [codePoint]
      : codePoint < 0x800
        ? [0xc0 | (codePoint >> 6), tail(0)]
        : codePoint < 0x10000
          ? [0xe0 | (codePoint >> 12), tail(6), tail(0)]
          : [0xf0 | (codePoint >> 18), tail(12), tail(6), tail(0)];
  for (const [index, byte] of bytes.entries()) text[at + index] = byte;
  return at + bytes.length;
};
