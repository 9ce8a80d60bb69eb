import type { Scope } from "../ir/variable.ts";
import type { PyStatement } from "../python/syntax.ts";
import type { Origins } from "../ownership/origins.ts";
import type { Callers } from "../ranges/callers.ts";
import type { Numbers } from "../ranges/solve-numbers.ts";
import type { Guards } from "./guards.ts";
import type { Loop } from "./statements/loop.ts";
import type { Lowering } from "./lowering.ts";
import type { Patterns } from "./patterns.ts";

/** A lowering and its state: the current scope, the known facts and the code to insert before the current statement. */
export interface LoweringState extends Lowering {
  readonly numbers: Numbers;
  readonly origins: Origins;
  readonly callers: Callers;
  readonly guards: Guards;
  readonly patterns: Patterns;
  /** Lowers a statement, and also returns the code that must come before it. */
  readonly beside: <T>(lower: () => T) => { readonly made: T; readonly before: readonly PyStatement[] };
  /** Does the same for a function or a part of a comprehension, which has its own scope. */
  readonly within: <T>(
    scope: Scope,
    lower: () => T,
  ) => { readonly made: T; readonly before: readonly PyStatement[] };
  /** Loops around the code being lowered, innermost last. */
  readonly loops: Loop[];
  /** Scopes of callbacks that became comprehensions. */
  readonly inlined: Set<Scope>;
}
