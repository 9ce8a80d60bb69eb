import type * as fc from "fast-check";
import type { Draft, Edit } from "./draft.ts";

/** A way to break one of Triton's rules, and to come close without breaking it. */
export interface Fault {
  /** Its number in triton-rules. */
  readonly rule: string;
  readonly about: string;
  /** What is legal before the change. */
  readonly on: fc.Arbitrary<Draft>;
  /** What the server says then; absent for rules that refuse nothing. */
  readonly says?: RegExp;
  readonly refused?: fc.Arbitrary<Edit>;
  readonly accepted?: fc.Arbitrary<Edit>;
  /** Judged by a server of its own: what the models' order of loading by hand would hide. */
  readonly atStart?: boolean;
  /** Judged without `--disable-auto-complete-config`. */
  readonly completed?: boolean;
  /** The server is slow with it (a Python process per model) or dies of it: fewer cases. */
  readonly costly?: boolean;
}
