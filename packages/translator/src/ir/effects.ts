import type { Expression, Statement } from "./code.ts";
import type { Variable } from "./variable.ts";
import { walk } from "./walk.ts";

/** The variable, element or property that `x = …`, `x += …` or `x++` writes; undefined for any other statement. */
export const writtenBy = ({ does }: Statement): Expression | undefined => {
  if (does.kind === "count") return does.target;
  return does.kind === "assign" && does.target.kind === "place" ? does.target.target : undefined;
};

/** Variables that are written when an expression is evaluated, excluding the bodies of functions in it. */
export const effectsIn = (expression: Expression): ReadonlySet<Variable> => {
  const found = new Set<Variable>();
  const inLambdas = new Set<unknown>();
  walk(expression, {
    expression(seen) {
      if (seen.kind === "lambda") walk(seen, { expression: (inner) => void inLambdas.add(inner) });
      if (seen.kind !== "effect" || inLambdas.has(seen)) return;
      const written = writtenBy(seen.statement);
      if (written?.kind === "variable") found.add(written.variable);
    },
  });
  return found;
};

/** Whether an expression mentions one of some variables. */
export const speaksOfAny = (expression: Expression, variables: ReadonlySet<Variable>): boolean => {
  let found = false;
  walk(expression, {
    expression(seen) {
      if (seen.kind === "variable" && variables.has(seen.variable)) found = true;
    },
  });
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
