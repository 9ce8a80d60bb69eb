import { decodeUtf8 } from "@tritype/core";
import { parseExactJson } from "./exact-json.ts";
import type { JsonValue } from "./json-value.ts";

/**
 * Reads JSON. The engine's own parser does it, unless 64-bit integers may stand in the text (it would round them) or it refuses
 * the text (which may hold NaN, or is wrong and needs Triton's words).
 * @throws PipelineError `request/malformed` with RapidJSON's words and byte offset.
 */
export const parseJson = (bytes: Uint8Array): JsonValue => {
  const text = decodeUtf8(bytes);
  if (mayHoldLargeIntegers(text)) return parseExactJson(text);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return parseExactJson(text);
  }
};

/** A run of 16 digits is an integer only where a 64-bit integer is expected; in floats it is common and means nothing. */
const mayHoldLargeIntegers = (text: string): boolean =>
  (text.includes('INT64"') || text.includes('"sequence_id"')) && /[0-9]{16}/.test(text);
