import { tryDecodeUtf8 } from "@tritype/core";
import { exactJsonSteps, type JsonOptions } from "./exact-json.ts";
import { notUtf8 } from "./json-text.ts";
import type { JsonValue } from "./json-value.ts";
import { finish, shortText, type Steps } from "./steps.ts";

/** Reads JSON at once. @throws PipelineError as `jsonSteps`. */
export const parseJson = (bytes: Uint8Array): JsonValue => finish(jsonSteps(bytes, {}));

/**
 * Reads the JSON of a request or an answer: the `data` of large ones stays text (`JsonArrayText`), to be read straight into a tensor. With
 * `keepDoubles`, `1.0` and `1e3` are `JsonDouble` where integers are due.
 * @throws PipelineError as `jsonSteps`.
 */
export const tensorJsonSteps = (
  bytes: Uint8Array,
  options: Pick<JsonOptions, "keepDoubles" | "maxText">,
): Steps<JsonValue> => jsonSteps(bytes, { ...options, textOf: "data" });

/**
 * Reads JSON. The engine's own parser reads short texts, unless 64-bit integers may be in the text (it would round them), integers may be
 * written as doubles where that counts, or it refuses the text (which may hold NaN, or is wrong and needs Triton's words).
 * @throws PipelineError `request/malformed` with RapidJSON's words and byte offset; `request/invalid` for what is not UTF-8, and as
 * `exactJsonSteps`.
 */
export function* jsonSteps(given: Uint8Array, options: JsonOptions): Steps<JsonValue> {
  const bytes = withoutMark(given);
  if (bytes.length > shortText) return yield* exactJsonSteps(bytes, options);
  const text = tryDecodeUtf8(bytes);
  if (text === undefined) throw notUtf8();
  if (mayDiffer(text) || (options.keepDoubles === true && mayHoldDoubles(text)))
    return yield* exactJsonSteps(bytes, options);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return yield* exactJsonSteps(bytes, options);
  }
}

/** Only a double that may be anything but an element of a float tensor makes a difference. */
const mayHoldDoubles = (text: string): boolean =>
  double.test(text.includes("INT") ? text : outsideData(text));

const mayDiffer = (text: string): boolean =>
  mayHoldLargeIntegers(text) || surrogateEscape.test(text) || largeExponent.test(text);

const double = /[0-9](?:\.[0-9]|[eE])/;

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

/** An escape of half a surrogate pair: the engine's parser takes it alone, RapidJSON wants both halves. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** What may be too big for a double: the engine's parser makes it infinite, RapidJSON refuses it. */
const largeExponent = /[eE]\+?[0-9]{3}/;

/** Without the byte order mark that some editors write. */
const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** A run of 16 digits is an integer only where a 64-bit integer is expected; in floats it is common and means nothing. */
const mayHoldLargeIntegers = (text: string): boolean =>
  (text.includes('INT64"') || text.includes('"sequence_id"')) && /[0-9]{16}/.test(text);
