import type { TokenizerTwinOptions } from "@tritype/manifest";
import { messageOf, type PipelineError } from "@tritype/core";
import { runtimeError } from "../errors.ts";
import type { CancelSignal } from "../scheduling/cancellation.ts";

/** The texts of one row, with the prefix. */
export interface TextRow {
  readonly text: string;
  readonly textPair?: string;
}
/** One row as tokens: truncated, with its special tokens, not padded. Every list has `length` elements. */
export interface EncodedRow {
  readonly length: number;
  ids(): readonly number[];
  typeIds(): readonly number[];
  /** 1 for tokens that do not come from the text. */
  specialTokensMask(): readonly number[];
  /** Start and end in Unicode code points. */
  offsets(): readonly (readonly number[])[];
}

export type EngineOptions = Pick<
  TokenizerTwinOptions,
  "maxLength" | "truncation" | "truncationSide" | "addSpecialTokens" | "pair" | "offsets"
>;

/** Splits texts into tokens according to one `tokenizer.json`. */
export interface TokenizerEngine {
  /**
   * @param signal Aborted when no caller is waiting anymore: work that has not begun is dropped.
   * @throws Error with the Rust engine's message if a row cannot be encoded; PipelineError `request/cancelled`.
   */
  encode(rows: readonly TextRow[], signal: CancelSignal | undefined): Promise<readonly EncodedRow[]>;
}

/** An error as one line. */
export const firstLine = (error: unknown): string => messageOf(error).split("\n", 1)[0] ?? "";

/** The error for a `tokenizer.json` that an engine refuses. */
export const brokenFile = (file: string, cause: unknown): PipelineError =>
  runtimeError("tokenizer/unusable-file", { file, why: firstLine(cause) }, { cause });
