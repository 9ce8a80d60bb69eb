import {
  type BytesTensor,
  didYouMean,
  foreignError,
  invariant,
  ownValue,
  type PipelineError,
  tryDecodeUtf8,
} from "@tritype/core";
import type { Languages, TokenizerTwinOptions } from "@tritype/manifest";
import type { ModelRequest } from "../backend.ts";
import type { EncodedRow, TextRow } from "./tokenizer-engine.ts";
import { runtimeError } from "../errors.ts";

/** Maximum number of bytes that are tokenized together: tokenizing 64 MiB takes 7 GB of memory and cannot be stopped. */
const longestTexts = 2 ** 26;

/**
 * The texts of a request.
 * @throws PipelineError `request/invalid` for text that is not UTF-8, `request/too-large` for more than 64 MiB.
 */
export const readRows = (
  request: ModelRequest,
  { prefix, pair }: TokenizerTwinOptions,
): readonly TextRow[] => {
  const texts = readTexts(request, "text");
  if (!pair) return texts.map((text) => ({ text: prefix + text }));
  const pairs = readTexts(request, "text_pair");
  return texts.map((text, row) => ({ text: prefix + text, textPair: pairs[row] ?? "" }));
};

const readTexts = (request: ModelRequest, name: string): readonly string[] => {
  const tensor = request.inputs.get(name) as BytesTensor | undefined;
  invariant(tensor !== undefined, `a tokenizer was called without ${name}`);
  const size = tensor.data.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (size > longestTexts)
    throw runtimeError("tokenizer/texts-too-long", { name, size, limit: longestTexts });
  return tensor.data.map((value, row) => {
    const text = tryDecodeUtf8(value);
    if (text === undefined) throw invalid(`row ${row} of ${name} is not valid UTF-8`);
    return text;
  });
};

/**
 * The token ids of the languages that a request names in one of its inputs.
 * @throws PipelineError `request/invalid` for an unknown language; the message lists the known ones.
 */
export const readLanguages = (
  request: ModelRequest,
  input: "source_language" | "target_language",
  { ids }: Languages,
): readonly number[] =>
  readTexts(request, input).map((language, row) => {
    const id = ownValue(ids, language);
    if (id === undefined)
      throw invalid(`row ${row} of ${input} is ${unknownLanguage(language, Object.keys(ids))}`);
    return id;
  });

/** @throws PipelineError `request/invalid` for a row that is not truncated and has too many tokens. */
export const refuseTooLong = (
  rows: readonly EncodedRow[],
  { truncation, maxLength }: TokenizerTwinOptions,
): void => {
  if (truncation !== false) return;
  rows.forEach((row, index) => {
    if (row.length > maxLength)
      throw invalid(`row ${index} has ${row.length} tokens, but the maximum is ${maxLength}`);
  });
};

const invalid = (text: string): PipelineError => foreignError("request/invalid", text);

/** An unknown language, the known ones, and the nearest of them; the message of the emitted Python. */
const unknownLanguage = (language: string, codes: readonly string[]): string => {
  const points = Array.from(language);
  const said = JSON.stringify(points.length <= 40 ? language : `${points.slice(0, 40).join("")}…`);
  const more = codes.length > 5 ? ` and ${codes.length - 5} more` : "";
  const near = nearest(language, codes);
  return `${said}; the languages are ${codes.slice(0, 5).join(", ")}${more}${near === undefined ? "" : `; did you mean ${near}?`}`;
};

const nearest = (language: string, codes: readonly string[]): string | undefined => {
  if (!/^[!-~]{2,40}$/.test(language)) return undefined;
  const given = language.toLowerCase();
  const [alike] = codes
    .filter((code) => code.toLowerCase().startsWith(given) || given.startsWith(code.toLowerCase()))
    .toSorted((a, b) => b.length - a.length);
  return alike ?? didYouMean(language, codes);
};
