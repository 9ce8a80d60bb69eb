import { tryDecodeUtf8 } from "@tritype/core";
import { char, characterStart, notUtf8, readEscape, skipPlain, unclosed } from "./json-text.ts";
import { shortText, type Steps, stepSize } from "./steps.ts";

/**
 * The end of the string whose opening quotation mark is at `start`.
 * @throws PipelineError `request/malformed` with RapidJSON's message.
 */
export function* skipString(bytes: Uint8Array, start: number): Steps<number> {
  let paused = start;
  for (let at = start + 1; ; ) {
    const end = Math.min(bytes.length, at + stepSize);
    at = skipPlain(bytes, at, end);
    if (at - paused >= stepSize) {
      paused = at;
      yield;
    }
    const byte = bytes[at];
    if (byte === char.quote) return at + 1;
    if (byte === char.backslash) at = readEscape(bytes, at).end;
    else if (at < end || at >= bytes.length) throw unclosed(bytes, at);
  }
}

/**
 * A validated string, as UTF-8; without escapes it shares memory with `bytes`.
 * @param start Position of its opening quotation mark.
 * @throws PipelineError `request/invalid` if it is not UTF-8.
 */
export function* readString(
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

/** UTF-8 → text. @throws PipelineError `request/invalid` if it is not UTF-8. */
export function* decodeText(bytes: Uint8Array): Steps<string> {
  let text = "";
  for (let at = 0; ; ) {
    const end = at + shortText < bytes.length ? characterStart(bytes, at + shortText) : bytes.length;
    const piece = tryDecodeUtf8(bytes.subarray(at, end));
    if (piece === undefined) throw notUtf8();
    text += piece;
    if (end === bytes.length) return text;
    at = end;
    yield;
  }
}

/** The decoded value of a string; never longer than its text. */
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

/** Returns the position for the next character. */
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
