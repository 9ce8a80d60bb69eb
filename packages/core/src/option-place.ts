import type { Span } from "./span.ts";

/** The position of a call's option in the source, and of the options inside it if they are literals. */
export interface OptionPlace {
  readonly span: Span;
  /** The options inside it, by name; elements of a list by their index. */
  readonly fields: ReadonlyMap<string, OptionPlace>;
}

/** Names and indexes from a call's options inwards: `["warmup", 0, "inputs"]`. */
export type OptionPath = readonly (string | number)[];
