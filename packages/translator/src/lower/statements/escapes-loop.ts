import type { Lambda } from "../../ir/code.ts";
import { liesIn, type Scope, type Variable } from "../../ir/variable.ts";
import { walk } from "../../ir/walk.ts";
import type { LoweringState } from "../lowering-state.ts";

/** Whether a stored function uses variables of the loop's body, which all iterations share in Python. */
export const escapesLoop = (lowering: LoweringState, lambda: Lambda): boolean => {
  let found = false;
  walk([lambda.body, lambda.parameters], {
    expression(seen) {
      if (seen.kind === "variable" && isPerIteration(seen.variable, lambda.scope, lowering.inlined))
        found = true;
    },
  });
  return found;
};

const isPerIteration = (variable: Variable, inner: Scope, inlined: ReadonlySet<Scope>): boolean => {
  if (variable.kind === "module" || liesIn(variable.scope, inner)) return false;
  for (let scope: Scope | undefined = variable.scope; scope !== undefined; scope = scope.parent) {
    if (scope.kind === "loop" || inlined.has(scope)) return true;
    if (scope.kind === "function") return false;
  }
  return false;
};
