import { char, isDigit, jsonFailure, skipWord } from "./json-text.ts";

/** The text of a number, and its value. */
export interface JsonNumber {
  readonly end: number;
  readonly value: number;
  /** Written without a fraction or an exponent: an integer for RapidJSON. */
  readonly integer: boolean;
}

/** Numbers never need more digits, and parsing a longer one would delay all other requests. */
const longestNumber = 65_536;

/**
 * Reads a number as RapidJSON does when NaN and Inf are allowed. The value is rounded to a double.
 * @throws PipelineError `request/malformed` with RapidJSON's message.
 */
export const readNumber = (bytes: Uint8Array, start: number): JsonNumber => {
  const negative = bytes[start] === char.minus;
  const first = negative ? start + 1 : start;
  if (!isDigit(bytes[first])) return readSpecial(bytes, first, negative);
  let at = first;
  let digits = 0;
  if (bytes[at] === char.zero) at++;
  else
    for (; isDigit(bytes[at]); at++) {
      requireShort(start, at);
      digits = digits * 10 + (bytes[at] as number) - char.zero;
    }
  let decimals = 0;
  let integer = true;
  if (bytes[at] === char.dot) {
    integer = false;
    const fraction = ++at;
    for (; isDigit(bytes[at]); at++) {
      requireShort(start, at);
      digits = digits * 10 + (bytes[at] as number) - char.zero;
    }
    decimals = at - fraction;
    if (decimals === 0) throw jsonFailure("Miss fraction part in number.", at);
  }
  const mantissaEnd = at;
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    integer = false;
    at++;
    if (bytes[at] === char.plus || bytes[at] === char.minus) at++;
    for (; isDigit(bytes[at]); at++) requireShort(start, at);
    if (!isDigit(bytes[at - 1])) throw jsonFailure("Miss exponent in number.", at);
  }
  // Both the digits and the power of ten are exact, so there is only one rounding, just as for the text itself.
  if (at === mantissaEnd && digits < 2 ** 53 && decimals <= 22) {
    const value = decimals === 0 ? digits : digits / (powers[decimals] as number);
    // `-0` is an integer, which has no sign.
    return { end: at, value: negative ? (integer ? 0 : -0) - value : value, integer };
  }
  const value = Number(asciiText(bytes, start, at));
  if (!Number.isFinite(value)) throw tooBig(start);
  return { end: at, value, integer };
};

/** ASCII bytes as text. */
export const asciiText = (bytes: Uint8Array, start: number, end: number): string => {
  let text = "";
  for (let at = start; at < end; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, Math.min(end, at + 4096)));
  return text;
};

const powers = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

const requireShort = (start: number, at: number): void => {
  if (at - start > longestNumber) throw tooBig(start);
};
const tooBig = (start: number): Error => jsonFailure("Number too big to be stored in double.", start);

const readSpecial = (bytes: Uint8Array, at: number, negative: boolean): JsonNumber => {
  if (bytes[at] === 0x4e && bytes[at + 1] === 0x61 && bytes[at + 2] === 0x4e)
    return { end: at + 3, value: Number.NaN, integer: false };
  if (bytes[at] !== 0x49 || bytes[at + 1] !== 0x6e || bytes[at + 2] !== 0x66)
    throw jsonFailure("Invalid value.", at);
  const end = bytes[at + 3] === 0x69 ? skipWord(bytes, at + 3, "inity") : at + 3;
  return { end, value: negative ? -Infinity : Infinity, integer: false };
};
