import { encodeUtf8 } from "@tritype/core";
import { invalid, type JsonValue, malformed } from "./json-value.ts";

/**
 * Reads JSON as Triton does (RapidJSON with NaN and Inf): 64-bit integers are exact, `NaN`, `Inf` and `Infinity` are numbers, and
 * a mistake has RapidJSON's words and byte offset.
 * @throws PipelineError `request/malformed`; `request/invalid` when arrays and objects nest deeper than 1000.
 */
export const parseExactJson = (text: string): JsonValue => {
  const reader: Reader = { text, at: 0 };
  skipSpace(reader);
  if (reader.at === text.length) throw failure(reader, "The document is empty.");
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length)
    throw failure(reader, "The document root must not be followed by other values.");
  return value;
};

const maxDepth = 1000;

interface Reader {
  readonly text: string;
  at: number;
}

const failure = (reader: Reader, what: string, at: number = reader.at): Error =>
  malformed(
    `failed to parse the request JSON buffer: ${what} at ${encodeUtf8(reader.text.slice(0, at)).byteLength}`,
  );

const space = /[ \t\r\n]*/y;
const skipSpace = (reader: Reader): void => {
  space.lastIndex = reader.at;
  space.test(reader.text);
  reader.at = space.lastIndex;
};

const take = (reader: Reader, char: string): boolean => {
  if (reader.text[reader.at] !== char) return false;
  reader.at++;
  return true;
};

const readValue = (reader: Reader, depth: number): JsonValue => {
  if (depth > maxDepth) throw invalid("JSON nesting depth exceeds maximum allowed limit (100)");
  const char = reader.text[reader.at];
  if (char === "{") return readObject(reader, depth);
  if (char === "[") return readArray(reader, depth);
  if (char === '"') return readString(reader);
  const word = char === undefined ? undefined : words[char];
  return word === undefined ? readNumber(reader) : readWord(reader, ...word);
};

const words: Readonly<Record<string, readonly [string, JsonValue]>> = {
  n: ["null", null],
  t: ["true", true],
  f: ["false", false],
};
const readWord = (reader: Reader, word: string, value: JsonValue): JsonValue => {
  for (const char of word) if (!take(reader, char)) throw failure(reader, "Invalid value.");
  return value;
};

const readObject = (reader: Reader, depth: number): JsonValue => {
  const members: [string, JsonValue][] = [];
  reader.at++;
  skipSpace(reader);
  if (take(reader, "}")) return {};
  for (;;) {
    if (reader.text[reader.at] !== '"') throw failure(reader, "Missing a name for object member.");
    const name = readString(reader);
    skipSpace(reader);
    if (!take(reader, ":")) throw failure(reader, "Missing a colon after a name of object member.");
    skipSpace(reader);
    members.push([name, readValue(reader, depth + 1)]);
    skipSpace(reader);
    if (take(reader, "}")) return Object.fromEntries(members);
    if (!take(reader, ",")) throw failure(reader, "Missing a comma or '}' after an object member.");
    skipSpace(reader);
  }
};

const readArray = (reader: Reader, depth: number): JsonValue => {
  const elements: JsonValue[] = [];
  reader.at++;
  skipSpace(reader);
  if (take(reader, "]")) return elements;
  for (;;) {
    elements.push(readValue(reader, depth + 1));
    skipSpace(reader);
    if (take(reader, "]")) return elements;
    if (!take(reader, ",")) throw failure(reader, "Missing a comma or ']' after an array element.");
    skipSpace(reader);
  }
};

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

// oxlint-disable-next-line no-control-regex -- these are the characters a JSON string may not hold
const plain = /[^"\\\u0000-\u001f]*/y;
const readString = (reader: Reader): string => {
  let value = "";
  reader.at++;
  for (;;) {
    plain.lastIndex = reader.at;
    value += plain.exec(reader.text)?.[0] ?? "";
    reader.at = plain.lastIndex;
    if (take(reader, '"')) return value;
    if (!take(reader, "\\"))
      throw failure(
        reader,
        reader.at === reader.text.length
          ? "Missing a closing quotation mark in string."
          : "Invalid escape character in string.",
      );
    value += readEscape(reader);
  }
};

const readEscape = (reader: Reader): string => {
  const start = reader.at - 1;
  const char = reader.text[reader.at] ?? "";
  if (char !== "u") {
    const escaped = escapes[char];
    if (escaped === undefined) throw failure(reader, "Invalid escape character in string.", start);
    reader.at++;
    return escaped;
  }
  const unit = readHex(reader, start);
  if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
  const paired = unit < 0xdc00 && reader.text.startsWith("\\u", reader.at);
  if (paired) reader.at++;
  const low = paired ? readHex(reader, start) : 0;
  if (low < 0xdc00 || low > 0xdfff) throw failure(reader, "The surrogate pair in string is invalid.", start);
  return String.fromCharCode(unit, low);
};

const readHex = (reader: Reader, start: number): number => {
  const digits = reader.text.slice(reader.at + 1, reader.at + 5);
  if (!/^[0-9a-fA-F]{4}$/.test(digits))
    throw failure(reader, "Incorrect hex digit after \\u escape in string.", start);
  reader.at += 5;
  return Number.parseInt(digits, 16);
};

/** Longer than any integer of 64 bits; those beyond them are told from doubles, and refused where an integer is due. */
const maxIntegerLength = 40;

const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]*)?|-?(?:NaN|Inf(?:inity)?)/y;
const readNumber = (reader: Reader): number | bigint => {
  const start = reader.at;
  number.lastIndex = start;
  const match = number.exec(reader.text);
  if (match === null) {
    take(reader, "-");
    throw failure(reader, "Invalid value.");
  }
  const [token, fraction, exponent] = match;
  reader.at = number.lastIndex;
  if (fraction === ".")
    throw failure(reader, "Miss fraction part in number.", start + token.indexOf(".") + 1);
  if (exponent !== undefined && !/[0-9]$/.test(exponent)) throw failure(reader, "Miss exponent in number.");
  if (token.endsWith("NaN")) return Number.NaN;
  if (token.includes("Inf")) {
    if (token.endsWith("f")) readWord(reader, reader.text[reader.at] === "i" ? "inity" : "", null);
    return token.startsWith("-") ? -Infinity : Infinity;
  }
  const value = Number(token);
  if (!Number.isFinite(value)) throw failure(reader, "Number too big to be stored in double.", start);
  if (fraction !== undefined || exponent !== undefined || Number.isSafeInteger(value)) return value;
  return token.length <= maxIntegerLength ? BigInt(token) : value;
};
