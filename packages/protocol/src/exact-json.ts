import { encodeUtf8, tryDecodeUtf8 } from "@tritype/core";
import { asciiText, readNumber } from "./json-number.ts";
import { skipArray } from "./skip-array.ts";
import {
  char,
  characterStart,
  jsonFailure,
  notUtf8,
  readEscape,
  skipPlain,
  skipSpace,
  skipWord,
  tooDeep,
  unclosed,
  wordAt,
} from "./json-text.ts";
import { invalid, JsonArrayText, JsonDouble, type JsonValue } from "./json-value.ts";
import { finish, shortText, type Steps, stepSize } from "./steps.ts";

export interface JsonOptions {
  /** Integers written as doubles come as `JsonDouble`. */
  readonly keepDoubles?: boolean;
  /** Arrays that are members of this name are checked and left as text, a `JsonArrayText`. */
  readonly textOf?: string;
}

/**
 * Reads JSON as Triton does (RapidJSON with NaN and Inf): 64-bit integers are exact, `NaN`, `Inf` and `Infinity` are numbers, and
 * a mistake has RapidJSON's words and byte offset. Stops at the first mistake; time and memory grow with what has been read so far.
 * @throws PipelineError `request/malformed`; `request/invalid` for what no request needs: arrays and objects nested deeper than 1000,
 * more than 262,144 values.
 */
export function* exactJsonSteps(bytes: Uint8Array, options: JsonOptions = {}): Steps<JsonValue> {
  const open: Container[] = [];
  let at = skipSpace(bytes, 0);
  if (at === bytes.length) throw jsonFailure("The document is empty.", at);
  for (let count = 1; ; count++) {
    if (count % 4096 === 0) yield;
    if (count > maxValues)
      throw invalid(`the request JSON has more than ${maxValues} values outside of tensor data`);
    if (open.length > maxDepth) throw tooDeep();
    const byte = bytes[at];
    const parent = open.at(-1);
    let value: JsonValue;
    if (byte === char.openObject) {
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== char.closeObject) {
        const name = yield* readName(bytes, at);
        open.push({ kind: "object", members: [], name: name.value });
        at = name.end;
        continue;
      }
      at++;
      value = {};
    } else if (byte === char.openArray) {
      if (options.textOf !== undefined && parent?.kind === "object" && parent.name === options.textOf) {
        const end = yield* skipArray(bytes, at, open.length, maxDepth);
        value = new JsonArrayText(bytes.subarray(at, end), options.keepDoubles === true);
        at = end;
      } else {
        at = skipSpace(bytes, at + 1);
        if (bytes[at] !== char.closeArray) {
          open.push({ kind: "array", elements: [] });
          continue;
        }
        at++;
        value = [];
      }
    } else if (byte === char.quote) {
      const text = yield* readString(bytes, at);
      value = text.value;
      at = text.end;
    } else {
      const word = wordAt(bytes, at);
      if (word !== undefined) {
        at = skipWord(bytes, at, word[0]);
        value = word[1];
      } else {
        const number = readNumber(bytes, at);
        value = numberValue(bytes, at, number, options);
        at = number.end;
      }
    }
    // What is complete goes into what it stands in, which may be complete then.
    for (;;) {
      at = skipSpace(bytes, at);
      const container = open.at(-1);
      if (container === undefined) {
        if (at < bytes.length)
          throw jsonFailure("The document root must not be followed by other values.", at);
        return value;
      }
      const next = bytes[at++];
      if (container.kind === "array") {
        container.elements.push(value);
        if (next === char.comma) {
          at = skipSpace(bytes, at);
          break;
        }
        if (next !== char.closeArray)
          throw jsonFailure("Missing a comma or ']' after an array element.", at - 1);
        value = container.elements;
      } else {
        container.members.push([container.name, value]);
        if (next === char.comma) {
          const name = yield* readName(bytes, skipSpace(bytes, at));
          container.name = name.value;
          at = name.end;
          break;
        }
        if (next !== char.closeObject)
          throw jsonFailure("Missing a comma or '}' after an object member.", at - 1);
        value = Object.fromEntries(container.members);
      }
      open.pop();
    }
  }
}

/** All of it at once. @throws PipelineError as `exactJsonSteps`. */
export const parseExactJson = (text: string, options?: JsonOptions): JsonValue =>
  finish(exactJsonSteps(encodeUtf8(text), options));

const maxDepth = 1000;
/** Names, dims, parameters: 40 inputs have some hundred of them. */
const maxValues = 262_144;

type Container =
  | { readonly kind: "array"; readonly elements: JsonValue[] }
  | { readonly kind: "object"; readonly members: [string, JsonValue][]; name: string };

interface Read {
  readonly value: string;
  readonly end: number;
}

/** A member's name and the colon, up to its value. */
function* readName(bytes: Uint8Array, at: number): Steps<Read> {
  if (bytes[at] !== char.quote) throw jsonFailure("Missing a name for object member.", at);
  const { value, end } = yield* readString(bytes, at);
  const colon = skipSpace(bytes, end);
  if (bytes[colon] !== char.colon) throw jsonFailure("Missing a colon after a name of object member.", colon);
  return { value, end: skipSpace(bytes, colon + 1) };
}

/** @param start Of the opening quotation mark. */
function* readString(bytes: Uint8Array, start: number): Steps<Read> {
  let value = "";
  let from = start + 1;
  for (let at = from; ; ) {
    const end = Math.min(bytes.length, at + stepSize);
    at = skipPlain(bytes, at, end);
    const byte = bytes[at];
    if (at === end && at < bytes.length && byte !== char.quote && byte !== char.backslash) {
      if (at - from > shortText) {
        const whole = characterStart(bytes, at);
        value += textOf(bytes, from, whole);
        from = whole;
      }
      yield;
      continue;
    }
    if (byte === char.quote) return { value: value + textOf(bytes, from, at), end: at + 1 };
    if (byte !== char.backslash) throw unclosed(bytes, at);
    const escape = readEscape(bytes, at);
    value += textOf(bytes, from, at) + String.fromCodePoint(escape.codePoint);
    at = escape.end;
    from = at;
  }
}

/** @throws PipelineError `request/invalid` when it is not UTF-8. */
const textOf = (bytes: Uint8Array, from: number, to: number): string => {
  const text = tryDecodeUtf8(bytes.subarray(from, to));
  if (text === undefined) throw notUtf8();
  return text;
};

/** Longer than any integer of 64 bits; those beyond them are told from doubles, and refused where an integer is due. */
const maxIntegerLength = 40;

/** A number as the tree holds it. */
export const numberValue = (
  bytes: Uint8Array,
  start: number,
  { value, end, integer }: ReturnType<typeof readNumber>,
  { keepDoubles = false }: JsonOptions,
): JsonValue => {
  if (!integer) return keepDoubles && Number.isInteger(value) ? new JsonDouble(value) : value;
  if (Number.isSafeInteger(value) || end - start > maxIntegerLength) return value;
  return BigInt(asciiText(bytes, start, end));
};
