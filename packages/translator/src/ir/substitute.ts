import type { Expression } from "./code.ts";
import type { Variable } from "./variable.ts";
import { leaves } from "./walk.ts";

/** Replaces a variable in an expression with another expression; narrowed types are kept. */
export const substitute = (expression: Expression, variable: Variable, by: Expression): Expression =>
  substituteIn(expression, variable, by);

/** The same replacement in any other code. */
export const substituteIn = <T>(code: T, variable: Variable, by: Expression): T => {
  const visit = (tree: unknown): unknown => {
    if (Array.isArray(tree)) return tree.map(visit);
    if (typeof tree !== "object" || tree === null) return tree;
    if (
      "kind" in tree &&
      tree.kind === "variable" &&
      "variable" in tree &&
      tree.variable === variable &&
      "type" in tree
    )
      return { ...by, type: tree.type };
    return Object.fromEntries(
      Object.entries(tree).map(([key, part]) => [key, leaves.has(key) ? part : visit(part)]),
    );
  };
  return visit(code) as T;
};
