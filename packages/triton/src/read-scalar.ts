import { faultTexts } from "./fault-texts.ts";
import { isInteger, type Scalar, type ValueSchema } from "./config-schema.ts";
import { readString } from "./read-string.ts";
import type { TextScanner, Token } from "./scan-text.ts";
import { faultAt, isNumber, TextFault } from "./text-fault.ts";

/**
 * Reads the value of a scalar or an enum: the name of an enum's value if it has one, a bigint for an integer that a
 * number would round. @throws TextFault
 */
export const readScalar = (
  scanner: TextScanner,
  field: string,
  value: ValueSchema & { readonly kind: "scalar" | "enum" },
): string | number | bigint | boolean => {
  if (value.kind === "scalar" && value.scalar === "string") return readStrings(scanner);
  const first = scanner.peek();
  const negative = scanner.skip("-");
  const token = scanner.take();
  if (token.kind === "end") throw faultAt(token, "expected value");
  const read =
    value.kind === "enum"
      ? readEnum(value.numbers, token, negative, field)
      : readWord(value.scalar, token.text, negative);
  if (typeof read === "string") throw faultAt(token, read, first.offset);
  if (value.kind === "enum") for (const [known, number] of value.numbers) if (number === read) return known;
  return read;
};

/** Adjacent strings are one string. */
const readStrings = (scanner: TextScanner): string => {
  let text = "";
  let token = scanner.peek();
  if (!isString(token)) throw faultAt(token, faultTexts.string);
  for (; isString(token); token = scanner.peek()) {
    const read = readString(scanner.take());
    if (typeof read === "object") throw new TextFault(read.message, token.offset + read.offset);
    text += read;
  }
  return text;
};

const isString = ({ kind }: Token): boolean => kind === "string" || kind === "open";

/** A value, or its fault. */
type Read = number | bigint | boolean | string;

const readEnum = (
  numbers: ReadonlyMap<string, number>,
  token: Token,
  negative: boolean,
  field: string,
): Read => {
  const { kind, text } = token;
  if (/^\.?\d/.test(text) || (kind !== "word" && !negative)) return readInteger("int32", text, negative);
  return (negative ? undefined : numbers.get(text)) ?? `${field}: enum value expected`;
};

const readWord = (scalar: Scalar, text: string, negative: boolean): Read => {
  if (isInteger(scalar)) return readInteger(scalar, text, negative);
  return scalar === "bool" ? readBool(text, negative) : readFloat(text, negative);
};

const readBool = (text: string, negative: boolean): Read => {
  if (!negative && /^(?:[tT]rue|t|[fF]alse|f)$/.test(text)) return /^t/i.test(text);
  const read = negative || !isNumber(text) ? 2 : readInteger("uint32", text, false);
  return typeof read === "string" ? read : read > 1 ? faultTexts.bool : read > 0;
};

const readFloat = (text: string, negative: boolean): Read => {
  const sign = negative ? -1 : 1;
  if (/^inf(?:inity)?$/i.test(text)) return sign * Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (!isNumber(text) || /^0[xX0-7]/.test(text)) return "float value expected";
  return sign * Number(text.replace(/f$/i, ""));
};

const readInteger = (scalar: Scalar, text: string, negative: boolean): number | bigint | string => {
  const unsigned = scalar.startsWith("u");
  if (!isNumber(text)) return "integer value expected";
  if (negative && unsigned) return "unsigned integer value expected";
  if (!/^(?:0[xX].*|\d+)$/.test(text)) return "integer value expected";
  const literal = text.replace(/^0(?=[0-7])/, "0o");
  const rounded = Number(literal);
  const limit = 2 ** ((scalar.endsWith("64") ? 64 : 32) - (unsigned ? 0 : 1));
  const size = Number.isSafeInteger(rounded) || rounded > limit ? rounded : BigInt(literal);
  if (size > limit || (size >= limit && !negative))
    return `${unsigned ? "unsigned " : ""}integer value out of range`;
  return negative ? 0 - Number(size) : size;
};
