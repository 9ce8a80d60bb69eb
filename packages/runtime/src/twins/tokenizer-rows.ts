import { type BytesTensor, invariant, PipelineError, tryDecodeUtf8 } from "@tritype/core";
import type { TokenizerTwinOptions } from "@tritype/manifest";
import type { ModelRequest } from "../backend.ts";
import type { EncodedRow, TextRow } from "./tokenizer-engine.ts";

/** The texts of a request. @throws PipelineError `request/invalid` for what is not UTF-8. */
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
  return tensor.data.map((value, row) => {
    const text = tryDecodeUtf8(value);
    if (text === undefined) throw invalid(`row ${row} of ${name} is not valid UTF-8`);
    return text;
  });
};

/** @throws PipelineError `request/invalid` for a row that is not cut and has too many tokens. */
export const refuseTooLong = (
  rows: readonly EncodedRow[],
  { truncation, maxLength }: TokenizerTwinOptions,
): void => {
  if (truncation) return;
  rows.forEach((row, index) => {
    if (row.length > maxLength)
      throw invalid(`row ${index} has ${row.length} tokens, the most is ${maxLength}`);
  });
};

const invalid = (text: string): PipelineError => new PipelineError("request/invalid", text);
