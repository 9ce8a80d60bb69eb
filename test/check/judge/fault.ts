import type * as fc from "fast-check";
import type { Draft, Edit } from "./draft.ts";

/** Edits to choose from; of a list each is tried. */
export type Edits = fc.Arbitrary<Edit> | readonly Edit[];

/** A way to break one of Triton's rules, and to come close without breaking it. */
export interface Fault {
  /** Its number in triton-rules. */
  readonly rule: string;
  readonly about: string;
  /** What is legal before the change. */
  readonly on: fc.Arbitrary<Draft>;
  /** What the server says then; absent for rules that refuse nothing. */
  readonly says?: RegExp;
  readonly refused?: Edits;
  readonly accepted?: Edits;
  /** Judged by a server of its own: what the models' order of loading by hand would hide. */
  readonly atStart?: boolean;
  /** Judged without `--disable-auto-complete-config`. */
  readonly completed?: boolean;
  /** What the refused cases start from, where it is something else. */
  readonly refusedOn?: fc.Arbitrary<Draft>;
  /** Refused means that the server dies. */
  readonly dies?: boolean;
  /** The server is slow with it (a Python process per model) or dies of it: fewer cases. */
  readonly costly?: boolean;
}
