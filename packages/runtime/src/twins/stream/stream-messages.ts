import type { Start } from "@tritype/generation";
import type { GenerateStart } from "../generate/generate-messages.ts";

/** The files that a thread opens when it starts. */
export type StreamStart = Pick<GenerateStart, "options" | "folder" | "threads">;

export type ToStream =
  /** A row joins the loop. */
  | { readonly kind: "add"; readonly id: number; readonly start: Start }
  /** A row is no longer wanted. */
  | { readonly kind: "leave"; readonly id: number }
  /** The model is unloaded: all rows fail. */
  | { readonly kind: "unload" };

/** A token of a row. */
export interface MadeToken {
  readonly id: number;
  readonly token: number;
  readonly isLast: boolean;
}

/** A row has ended, after all of its tokens. */
export interface RowEnd {
  readonly id: number;
  /** The reason why it failed; undefined if it did not. */
  readonly failure: string | undefined;
}
