import type { Variable } from "../../ir/variable.ts";

export type Jump = "break" | "continue";

/** A loop that is being lowered. */
export interface Loop {
  readonly label: string | undefined;
  /** Records which inner jump leads here; Python's `break` and `continue` affect the innermost loop only. */
  flag: Variable | undefined;
  /** Jumps out of this loop to outer loops. */
  readonly leaving: Map<Loop, Set<Jump>>;
}
