import type { Expression, Statement } from "./code.ts";
import { endsOf, walk } from "./walk.ts";

/** The variable, element or property that `x = …`, `x += …` or `x++` writes; undefined for any other statement. */
export const writtenBy = ({ does }: Statement): Expression | undefined => {
  if (does.kind === "count") return does.target;
  return does.kind === "assign" && does.target.kind === "place" ? does.target.target : undefined;
};

/** All variables, elements and properties that a statement writes or deletes, not counting those in statements inside it. */
export const targetsOf = ({ does }: Statement): readonly Expression[] => {
  if (does.kind === "count" || does.kind === "delete") return [does.target];
  if (does.kind !== "assign" && does.kind !== "for of") return [];
  const pattern = does.kind === "assign" ? does.target : does.pattern;
  return endsOf(pattern).flatMap((end) => (end.kind === "place" ? [end.target] : []));
};

/** The targets of all statements in a tree. */
export const targetsIn = (tree: unknown): readonly Expression[] => {
  const found: Expression[] = [];
  walk(tree, { statement: (seen) => found.push(...targetsOf(seen)) });
  return found;
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
