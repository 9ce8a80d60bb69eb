import { type BytesTensor, invariant, PipelineError, tryDecodeUtf8 } from "@tritype/core";
import type { Languages, TokenizerTwinOptions } from "@tritype/manifest";
import type { ModelRequest } from "../backend.ts";
import type { EncodedRow, TextRow } from "./tokenizer-engine.ts";
import { unknownLanguage } from "./unknown-language.ts";

/** Bytes of the texts that are cut together: cutting 64 MiB takes 7 GB, and cannot be stopped. */
const longestTexts = 2 ** 26;

/** The texts of a request. @throws PipelineError `request/invalid` for what is not UTF-8, `request/too-large` for more than 64 MiB. */
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
  invariant(tensor !== undefined, `a tokenizer was asked without ${name}`);
  const size = tensor.data.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (size > longestTexts)
    throw new PipelineError(
      "request/too-large",
      `${name} has ${size} bytes, and cutting them would take a hundred times as much memory; the most is ${longestTexts}`,
    );
  return tensor.data.map((value, row) => {
    const text = tryDecodeUtf8(value);
    if (text === undefined) throw invalid(`row ${row} of ${name} is not valid UTF-8`);
    return text;
  });
};

/**
 * The ids of the tokens of the languages that a request names in one of its inputs.
 * @throws PipelineError `request/invalid` for a language that there is not; it names those that there are.
 */
export const readLanguages = (
  request: ModelRequest,
  input: "source_language" | "target_language",
  { ids }: Languages,
): readonly number[] =>
  readTexts(request, input).map((language, row) => {
    const id = Object.hasOwn(ids, language) ? ids[language] : undefined;
    if (id === undefined)
      throw invalid(`row ${row} of ${input} is ${unknownLanguage(language, Object.keys(ids))}`);
    return id;
  });

/** @throws PipelineError `request/invalid` for a row that is not cut and has too many tokens. */
export const refuseTooLong = (
  rows: readonly EncodedRow[],
  { truncation, maxLength }: TokenizerTwinOptions,
): void => {
  if (truncation !== false) return;
  rows.forEach((row, index) => {
    if (row.length > maxLength)
      throw invalid(`row ${index} has ${row.length} tokens, the most is ${maxLength}`);
  });
};

const invalid = (text: string): PipelineError => new PipelineError("request/invalid", text);
