import type { Variable } from "../../ir/variable.ts";

export type Jump = "break" | "continue";

/** A loop that is being lowered. */
export interface Loop {
  readonly label: string | undefined;
  /** Says which jump leads here out of a loop within; Python's `break` and `continue` know the innermost loop only. */
  flag: Variable | undefined;
  /** Jumps out of this loop, to loops around it. */
  readonly leaving: Map<Loop, Set<Jump>>;
}
