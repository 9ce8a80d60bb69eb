import type { Variable } from "../../ir/variable.ts";

export type Jump = "break" | "continue";

/** A loop that is being lowered. */
export interface Loop {
  readonly label: string | undefined;
  /** A variable that records a jump from an inner loop to this one; Python's `break` and `continue` only affect the innermost loop. */
  flag: Variable | undefined;
  /** Jumps from this loop to outer loops. */
  readonly leaving: Map<Loop, Set<Jump>>;
}
