import { invalid, malformed } from "./json-value.ts";

/** The characters of JSON's syntax, as bytes. */
export const char = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
  minus: 0x2d,
  plus: 0x2b,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
} as const;

/** An error with RapidJSON's message and its byte offset. */
export const jsonFailure = (what: string, at: number): Error =>
  malformed(`failed to parse the request JSON buffer: ${what} at ${at}`);

export const tooDeep = (): Error => invalid("JSON nesting depth exceeds maximum allowed limit (100)");

/**
 * Triton passes on bytes that are not UTF-8 unchanged; in a string they would become U+FFFD here, and silently change
 * the response.
 */
export const notUtf8 = (): Error =>
  invalid("the request JSON is not valid UTF-8. Please use the binary data format for such bytes");

/** The error for a string with an invalid continuation at `at`. */
export const unclosed = (bytes: Uint8Array, at: number): Error =>
  jsonFailure(
    at >= bytes.length
      ? "Missing a closing quotation mark in string."
      : "Invalid escape character in string.",
    at,
  );

/** Maximum white space in bytes between two tokens, which is read without a pause; no printer writes that much. */
const maxSpace = 2 ** 20;

/**
 * The end of the white space that begins at `start`. @throws PipelineError `request/invalid` if it is longer than 1
 * MiB.
 */
export const skipSpace = (bytes: Uint8Array, start: number): number => {
  for (let at = start; ; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    if (at - start === maxSpace)
      throw invalid(`the request JSON has more than ${maxSpace} bytes of white space in one place`);
  }
};

/** The first byte from `at` on, before `end`, that is not plain string text; `end` if there is none. */
export const skipPlain = (bytes: Uint8Array, at: number, end: number): number => {
  for (let i = at; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === char.quote || byte === char.backslash || byte < 0x20) return i;
  }
  return end;
};

/** The start of the character that contains the byte at `at`. */
export const characterStart = (bytes: Uint8Array, at: number): number => {
  let start = at;
  while (at - start < 4 && ((bytes[start] as number) & 0xc0) === 0x80) start--;
  return start;
};

const words: Readonly<Record<number, readonly [word: string, value: null | boolean]>> = {
  0x6e: ["null", null],
  0x74: ["true", true],
  0x66: ["false", false],
};
/** `null`, `true` or `false`, by its first byte. */
export const wordAt = (
  bytes: Uint8Array,
  at: number,
): readonly [word: string, value: null | boolean] | undefined => words[bytes[at] ?? 0];

/** The end of the word. @throws PipelineError at the first byte that differs. */
export const skipWord = (bytes: Uint8Array, at: number, word: string): number => {
  for (let i = 0; i < word.length; i++)
    if (bytes[at + i] !== word.charCodeAt(i)) throw jsonFailure("Invalid value.", at + i);
  return at + word.length;
};

const escapes: Readonly<Record<number, number>> = {
  0x22: 0x22,
  0x5c: 0x5c,
  0x2f: 0x2f,
  0x62: 0x08,
  0x66: 0x0c,
  0x6e: 0x0a,
  0x72: 0x0d,
  0x74: 0x09,
};

/** An escape: its code point, and its end. */
export interface Escape {
  readonly codePoint: number;
  readonly end: number;
}

/** @param at Position of the backslash. */
export const readEscape = (bytes: Uint8Array, at: number): Escape => {
  if (bytes[at + 1] !== 0x75) {
    const codePoint = escapes[bytes[at + 1] ?? 0];
    if (codePoint === undefined) throw jsonFailure("Invalid escape character in string.", at);
    return { codePoint, end: at + 2 };
  }
  const unit = readHex(bytes, at + 2, at);
  if (unit < 0xd800 || unit > 0xdfff) return { codePoint: unit, end: at + 6 };
  const paired = unit < 0xdc00 && bytes[at + 6] === char.backslash && bytes[at + 7] === 0x75;
  const low = paired ? readHex(bytes, at + 8, at) : 0;
  if (low < 0xdc00 || low > 0xdfff) throw jsonFailure("The surrogate pair in string is invalid.", at);
  return { codePoint: 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), end: at + 12 };
};

const readHex = (bytes: Uint8Array, at: number, start: number): number => {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const digit = hexDigit(bytes[i] ?? 0);
    if (digit === undefined) throw jsonFailure("Incorrect hex digit after \\u escape in string.", start);
    value = value * 16 + digit;
  }
  return value;
};

const hexDigit = (byte: number): number | undefined => {
  if (isDigit(byte)) return byte - char.zero;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
};

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= char.zero && byte <= char.nine;
