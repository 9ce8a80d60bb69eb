import { encodeUtf8 } from "@tritype/core";
import { asciiText, readNumber } from "./json-number.ts";
import { decodeText, readString, skipString } from "./json-string.ts";
import { skipArray } from "./skip-array.ts";
import { char, jsonFailure, skipSpace, skipWord, tooDeep, wordAt } from "./json-text.ts";
import { doubleOf, invalid, JsonArrayText, type JsonValue } from "./json-value.ts";
import { finish, type Steps, stepSize } from "./steps.ts";

export interface JsonOptions {
  /** Returns integers written as doubles as `JsonDouble`. */
  readonly keepDoubles?: boolean;
  /**
   * Strings and arrays that are members with these names hold tensor data: such arrays are validated and left as text,
   * a `JsonArrayText`, and such strings are not limited.
   */
  readonly data?: ReadonlySet<string>;
  /** Keeps the first of repeated members, as RapidJSON finds them. Default: the last, as `JSON.parse` does. */
  readonly keepFirst?: boolean;
  /** Called for each repeated member of the outermost object whose name is in `data`. */
  readonly onRepeated?: (name: string) => void;
  /** Maximum total bytes of all other names and strings. Default: no limit. */
  readonly maxText?: number;
}

/**
 * Reads JSON as Triton does (RapidJSON with NaN and Inf): 64-bit integers are exact, `NaN`, `Inf` and `Infinity` are
 * numbers, and an error has RapidJSON's message and byte offset. Stops at the first error; time and memory grow with
 * what has been read so far.
 * @throws PipelineError `request/malformed`; `request/invalid` for JSON beyond the needs of any request: arrays and
 * objects nested deeper than 1000, more than 65,536 values, more text than `maxText`, white space of more than 1 MiB in
 * one place.
 */
export function* exactJsonSteps(bytes: Uint8Array, options: JsonOptions = {}): Steps<JsonValue> {
  const open: Container[] = [];
  const text: TextLimit = { most: options.maxText ?? Infinity, read: 0 };
  let paused = 0;
  let at = skipSpace(bytes, 0);
  if (at === bytes.length || bytes[at] === 0) throw jsonFailure("The document is empty.", at);
  for (let count = 1; ; count++) {
    if (count % 4096 === 0 || at - paused > stepSize) {
      paused = at;
      yield;
    }
    if (count > maxValues)
      throw invalid(`the request JSON has more than ${maxValues} values outside tensor data`);
    if (open.length > maxDepth) throw tooDeep();
    const byte = bytes[at];
    const parent = open.at(-1);
    const isData = parent?.kind === "object" && options.data?.has(parent.name) === true;
    let value: JsonValue;
    if (byte === char.openObject) {
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== char.closeObject) {
        const name = yield* readName(bytes, at, text);
        open.push({ kind: "object", members: [], name: name.value });
        at = name.end;
        continue;
      }
      at++;
      value = {};
    } else if (byte === char.openArray) {
      if (isData) {
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
      const read = yield* readText(bytes, at, isData ? unlimited : text);
      value = read.value;
      at = read.end;
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
    // A complete value is added to its parent, which may then be complete as well.
    for (;;) {
      if (at - paused > stepSize) {
        paused = at;
        yield;
      }
      at = skipSpace(bytes, at);
      const container = open.at(-1);
      if (container === undefined) {
        // For RapidJSON, the text ends at a NUL.
        if (at < bytes.length && bytes[at] !== 0)
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
          const name = yield* readName(bytes, skipSpace(bytes, at), text);
          container.name = name.value;
          at = name.end;
          break;
        }
        if (next !== char.closeObject)
          throw jsonFailure("Missing a comma or '}' after an object member.", at - 1);
        value = objectOf(container.members, options);
        if (open.length === 1) tellRepeated(container.members, options);
      }
      open.pop();
    }
  }
}

/** Parses everything at once. @throws PipelineError as `exactJsonSteps` does. */
export const parseExactJson = (text: string, options?: JsonOptions): JsonValue =>
  finish(exactJsonSteps(encodeUtf8(text), options));

const maxDepth = 1000;
/** The maximum number of names, dims and parameters; 40 inputs have a few hundred of them. */
const maxValues = 65_536;

const objectOf = (
  members: readonly (readonly [string, JsonValue])[],
  { keepFirst }: JsonOptions,
): { readonly [name: string]: JsonValue } => {
  const value = Object.fromEntries(members);
  return keepFirst !== true || Object.keys(value).length === members.length
    ? value
    : Object.fromEntries([...members, ...members.toReversed()]);
};

const tellRepeated = (
  members: readonly (readonly [string, JsonValue])[],
  { data, onRepeated }: JsonOptions,
): void => {
  if (onRepeated === undefined) return;
  const names = new Set<string>();
  for (const [name] of members)
    if (names.has(name) && data?.has(name) === true) onRepeated(name);
    else names.add(name);
};

type Container =
  | { readonly kind: "array"; readonly elements: JsonValue[] }
  | { readonly kind: "object"; readonly members: [string, JsonValue][]; name: string };

interface Read {
  readonly value: string;
  readonly end: number;
}

/** The amount of text that has been read, and the limit. */
interface TextLimit {
  readonly most: number;
  read: number;
}
const unlimited: TextLimit = { most: Infinity, read: 0 };

/** A member's name and the colon, up to its value. */
function* readName(bytes: Uint8Array, at: number, limit: TextLimit): Steps<Read> {
  if (bytes[at] !== char.quote) throw jsonFailure("Missing a name for object member.", at);
  const { value, end } = yield* readText(bytes, at, limit);
  const colon = skipSpace(bytes, end);
  if (bytes[colon] !== char.colon) throw jsonFailure("Missing a colon after a name of object member.", colon);
  return { value, end: skipSpace(bytes, colon + 1) };
}

/** @param start The position of the opening quotation mark. */
function* readText(bytes: Uint8Array, start: number, limit: TextLimit): Steps<Read> {
  const end = yield* skipString(bytes, start);
  limit.read += end - start;
  if (limit.read > limit.most)
    throw invalid(`the request JSON has more than ${limit.most} bytes of text outside tensor data`);
  const { text } = yield* readString(bytes, start);
  return { value: yield* decodeText(text), end };
}

/**
 * Longer than any 64-bit integer; longer numbers are distinguished from doubles, and rejected where an integer
 * is required.
 */
const maxIntegerLength = 40;

/** A number in the form that the tree stores. */
export const numberValue = (
  bytes: Uint8Array,
  start: number,
  { value, end, integer }: ReturnType<typeof readNumber>,
  { keepDoubles = false }: JsonOptions,
): JsonValue => {
  if (!integer) return keepDoubles ? doubleOf(value) : value;
  if (Number.isSafeInteger(value) || end - start > maxIntegerLength) return value;
  return BigInt(asciiText(bytes, start, end));
};
