import type { TokenizerTwinOptions } from "@tritype/manifest";
import type { PipelineError } from "@tritype/core";
import { runtimeError } from "../errors.ts";

/** The texts of one row, with the prefix. */
export interface TextRow {
  readonly text: string;
  readonly textPair?: string;
}
/** One row as tokens: cut, with its special tokens, not padded. Every list has `length` elements. */
export interface EncodedRow {
  readonly length: number;
  ids(): readonly number[];
  typeIds(): readonly number[];
  /** 1 for tokens that stand for no text. */
  specialTokensMask(): readonly number[];
  /** Start and end in Unicode code points. */
  offsets(): readonly (readonly number[])[];
}

export type EngineOptions = Pick<
  TokenizerTwinOptions,
  "maxLength" | "truncation" | "truncationSide" | "addSpecialTokens" | "pair" | "offsets"
>;

/** Cuts texts into tokens, as one `tokenizer.json` says. */
export interface TokenizerEngine {
  /**
   * @param signal Aborted when no caller waits any more: work that has not begun is dropped.
   * @throws Error with the words of the Rust engine when a row cannot be encoded; PipelineError `request/cancelled`.
   */
  encode(rows: readonly TextRow[], signal: AbortSignal | undefined): Promise<readonly EncodedRow[]>;
}

/** An error in one line. */
export const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";

/** A `tokenizer.json` that an engine refuses. */
export const brokenFile = (file: string, cause: unknown): PipelineError =>
  runtimeError("tokenizer/unusable-file", { file, why: firstLine(cause) }, { cause });
