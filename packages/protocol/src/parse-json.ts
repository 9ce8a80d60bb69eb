import { tryDecodeUtf8, withoutMark } from "@tritype/core";
import { exactJsonSteps, type JsonOptions } from "./exact-json.ts";
import { notUtf8 } from "./json-text.ts";
import type { JsonValue } from "./json-value.ts";
import { finish, shortText, type Steps } from "./steps.ts";

/** Reads JSON in one step. @throws PipelineError as `jsonSteps` does. */
export const parseJson = (bytes: Uint8Array): JsonValue => finish(jsonSteps(bytes, {}));

/**
 * Reads the JSON of a request or a response. Large `data` remains text (`JsonArrayText`), to be parsed directly into a
 * tensor. With `keepDoubles`, `1.0` and `1e3` are `JsonDouble` where integers are expected. The first of repeated members
 * counts, as for Triton.
 * @throws PipelineError as `jsonSteps` does.
 */
export const tensorJsonSteps = (
  bytes: Uint8Array,
  { keepDoubles = false, maxText = Number.POSITIVE_INFINITY }: Pick<JsonOptions, "keepDoubles" | "maxText">,
): Steps<JsonValue> => jsonSteps(bytes, { keepDoubles, maxText, data: dataMember, keepFirst: true });
const dataMember: ReadonlySet<string> = new Set(["data"]);

/**
 * Reads JSON. The engine's own parser is used for short texts, with five exceptions: the text may contain 64-bit
 * integers (the parser would round them); it may contain `-0`; it may contain integers written as doubles, and that
 * matters; it repeats a member whose first value counts; or the parser rejects it (it may contain NaN, or it is invalid
 * and needs Triton's message).
 * @throws PipelineError `request/malformed` with RapidJSON's message and byte offset; `request/invalid` for text that
 * is not UTF-8, and as `exactJsonSteps`.
 */
export function* jsonSteps(given: Uint8Array, options: ParseOptions): Steps<JsonValue> {
  const bytes = withoutMark(given);
  if (bytes.length > shortText) return yield* exactJsonSteps(bytes, options);
  const text = tryDecodeUtf8(bytes);
  if (text === undefined) throw notUtf8();
  const differs =
    options.flat === true
      ? mayDifferAnywhere(text) || mayRepeat(text, options.data)
      : mayDiffer(text) || (options.keepDoubles === true && mayHoldDoubles(text));
  if (differs) return yield* exactJsonSteps(bytes, options);
  try {
    const value = JSON.parse(text) as JsonValue;
    if (options.keepFirst !== true || nameCount(text) === memberCount(value)) return value;
  } catch {
    // The exact parser finds the error.
  }
  return yield* exactJsonSteps(bytes, options);
}

/** The number of names in a JSON text, including repeated ones. */
const nameCount = (text: string): number => {
  let count = 0;
  for (nameEnd.lastIndex = 0; nameEnd.test(text); ) count++;
  return count;
};
const nameEnd = /(?<!\\)"\s*:/g;

/** The number of members in a value, without those in `data`. */
const memberCount = (value: JsonValue): number => {
  let count = 0;
  const open = [value].filter(isContainer);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) {
      for (const element of one) if (isContainer(element)) open.push(element);
      continue;
    }
    const members = one as { readonly [name: string]: JsonValue };
    for (const name of Object.keys(members)) {
      count++;
      const member = members[name] as JsonValue;
      if (name !== "data" && isContainer(member)) open.push(member);
    }
  }
  return count;
};
const isContainer = (value: JsonValue): value is object & JsonValue =>
  typeof value === "object" && value !== null;

interface ParseOptions extends JsonOptions {
  /** Any number may be an element of any dtype, because the text does not specify the dtypes. */
  readonly flat?: boolean;
}

/** The engine's own parser does not report repeated members. A repeated name may contain an escape. */
const mayRepeat = (text: string, names: ReadonlySet<string> = new Set()): boolean =>
  text.includes("\\") || [...names].some((name) => text.split(JSON.stringify(name)).length > 2);

const mayDifferAnywhere = (text: string): boolean =>
  double.test(text) || manyDigits.test(text) || surrogateEscape.test(text) || minusZero.test(text);

/** A double makes a difference only if it may be something other than an element of a float tensor. */
const mayHoldDoubles = (text: string): boolean =>
  double.test(text.includes("INT") ? text : outsideData(text));

const mayDiffer = (text: string): boolean =>
  suspicious.test(text) &&
  (mayHoldLargeIntegers(text) ||
    surrogateEscape.test(text) ||
    largeExponent.test(text) ||
    minusZero.test(text));

const double = /\d(?:\.\d|[eE])/;

/** The text without the numbers of `"data":[…]`. */
const outsideData = (text: string): string => {
  let outside = "";
  for (let at = 0; ; ) {
    const data = text.indexOf(dataName, at);
    if (data < 0) return outside + text.slice(at);
    outside += text.slice(at, data);
    afterNumbers.lastIndex = data + dataName.length;
    at = afterNumbers.exec(text)?.index ?? text.length;
  }
};
const dataName = '"data"';
const afterNumbers = /[^-+0-9.eE,:\s[\]]/g;

/** An escape of a lone surrogate: the engine's parser accepts it, RapidJSON requires a pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** A number that may be too large for a double: the engine's parser makes it infinite, RapidJSON rejects it. */
const largeExponent = /[eE]\+?[0-9]{3}/;

/** An integer for RapidJSON, and therefore 0 without a sign. */
const minusZero = /-0(?![.\deE])/;

/**
 * A run of 16 digits is always treated as a 64-bit integer, except in the data of floats, where it is common and has no
 * special meaning.
 */
const mayHoldLargeIntegers = (text: string): boolean =>
  manyDigits.test(text) && (text.includes('INT64"') || manyDigits.test(outsideData(text)));
const manyDigits = /[0-9]{16}/;

/** All of them in one: most texts have none, and are searched once instead of four times. */
const suspicious = new RegExp(
  [manyDigits, surrogateEscape, largeExponent, minusZero].map(({ source }) => source).join("|"),
);
