import { builtins } from "../builtins/table.ts";
import type { Statement } from "../ir/statement.ts";
import type { Variable } from "../ir/variable.ts";
import { walk } from "../ir/walk.ts";
import type { Flows } from "../ranges/flows.ts";

/** Whether statements, or functions that they call, may throw an error whose text is the engine's own. */
export const throwsEngineText = (body: readonly Statement[], { functions }: Flows): boolean => {
  const seen = new Set<Variable>();
  let found = false;
  const visit = (tree: unknown): void =>
    walk(tree, {
      expression(expression) {
        if (expression.kind === "invocation") {
          const row = builtins[expression.row];
          if (row !== undefined && "engineText" in row && row.engineText === true) found = true;
        }
        if (expression.kind !== "variable" || seen.has(expression.variable)) return;
        seen.add(expression.variable);
        visit(functions.get(expression.variable)?.body);
      },
    });
  visit(body);
  return found;
};
