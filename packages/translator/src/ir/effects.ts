import type { Expression, Statement } from "./code.ts";
import { walk } from "./walk.ts";

/** The variable, element or property that `x = …`, `x += …` or `x++` writes; undefined for any other statement. */
export const writtenBy = ({ does }: Statement): Expression | undefined => {
  if (does.kind === "count") return does.target;
  return does.kind === "assign" && does.target.kind === "place" ? does.target.target : undefined;
};

/** Whether an expression, including functions in it, contains an assignment. */
export const hasEffect = (tree: unknown): boolean => {
  let found = false;
  walk(tree, {
    expression(seen) {
      if (seen.kind === "effect") found = true;
    },
  });
  return found;
};
