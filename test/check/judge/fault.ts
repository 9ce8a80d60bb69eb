import type * as fc from "fast-check";
import type { Draft, Edit } from "./draft.ts";

/** Edits to choose from; if there are several, each is tried. */
export type Edits = fc.Arbitrary<Edit> | readonly Edit[];

/** One way to break a Triton rule, and near misses that do not break it. */
export interface Fault {
  /** Its number in triton-rules. */
  readonly rule: string;
  readonly about: string;
  /** The valid starting point of the change. */
  readonly on: fc.Arbitrary<Draft>;
  /** The server's message; absent for rules that refuse nothing. */
  readonly says?: RegExp;
  readonly refused?: Edits;
  readonly accepted?: Edits;
  /** Judged by a separate server, because loading the models in a given order would hide it. */
  readonly atStart?: boolean;
  /** Judged without `--disable-auto-complete-config`. */
  readonly completed?: boolean;
  /** The starting point of the refused cases, if it is different. */
  readonly refusedOn?: fc.Arbitrary<Draft>;
  /** A refusal means that the server crashes. */
  readonly dies?: boolean;
  /** The server is slow (a Python process per model) or crashes, so there are fewer cases. */
  readonly costly?: boolean;
}
