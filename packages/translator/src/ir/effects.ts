import type { Expression, Pattern } from "./code.ts";
import type { Variable } from "./variable.ts";
import { walk } from "./walk.ts";

/** Variables that an expression writes while it is computed; what functions in it write is not among them. */
export const effectsIn = (expression: Expression): ReadonlySet<Variable> => {
  const found = new Set<Variable>();
  const inLambdas = new Set<unknown>();
  walk(expression, {
    expression(seen) {
      if (seen.kind === "lambda") walk(seen, { expression: (inner) => void inLambdas.add(inner) });
      if (seen.kind !== "effect" || inLambdas.has(seen)) return;
      const { does } = seen.statement;
      if (does.kind === "count" && does.target.kind === "variable") found.add(does.target.variable);
      if (does.kind === "assign") add(does.target, found);
    },
  });
  return found;
};

const add = (pattern: Pattern, found: Set<Variable>): void => {
  if (pattern.kind === "place" && pattern.target.kind === "variable") found.add(pattern.target.variable);
};

/** Whether an expression speaks of one of some variables. */
export const speaksOfAny = (expression: Expression, variables: ReadonlySet<Variable>): boolean => {
  let found = false;
  walk(expression, {
    expression(seen) {
      if (seen.kind === "variable" && variables.has(seen.variable)) found = true;
    },
  });
  return found;
};

/** Whether an assignment stands in an expression, functions in it included. */
export const hasEffect = (tree: unknown): boolean => {
  let found = false;
  walk(tree, {
    expression(seen) {
      if (seen.kind === "effect") found = true;
    },
  });
  return found;
};
