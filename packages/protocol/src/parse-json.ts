import { tryDecodeUtf8 } from "@tritype/core";
import { parseExactJson } from "./exact-json.ts";
import { invalid, type JsonValue } from "./json-value.ts";

/**
 * Reads JSON. The engine's own parser does it, unless 64-bit integers may stand in the text (it would round them) or it refuses
 * the text (which may hold NaN, or is wrong and needs Triton's words).
 * @throws PipelineError `request/malformed` with RapidJSON's words and byte offset.
 */
export const parseJson = (bytes: Uint8Array): JsonValue => {
  const text = decodeText(bytes);
  if (mayHoldLargeIntegers(text) || surrogateEscape.test(text) || largeExponent.test(text))
    return parseExactJson(text);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return parseExactJson(text);
  }
};

/** An escape of half a surrogate pair: the engine's parser takes it alone, RapidJSON wants both halves. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** What may be too big for a double: the engine's parser makes it infinite, RapidJSON refuses it. */
const largeExponent = /[eE]\+?[0-9]{3}/;

/** Triton hands bytes that are no UTF-8 on as they are; in a string they would become U+FFFD here, and the answer silently another. */
const decodeText = (bytes: Uint8Array): string => {
  const text = tryDecodeUtf8(bytes);
  if (text === undefined)
    throw invalid("the request JSON is not valid UTF-8. Please use the binary data format for such bytes");
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
};
const byteOrderMark = "\ufeff";

/** A run of 16 digits is an integer only where a 64-bit integer is expected; in floats it is common and means nothing. */
const mayHoldLargeIntegers = (text: string): boolean =>
  (text.includes('INT64"') || text.includes('"sequence_id"')) && /[0-9]{16}/.test(text);
