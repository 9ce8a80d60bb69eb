import type { Argument, Expression } from "./syntax.ts";
import { allParts } from "./walk.ts";

export const isName = (expression: Expression | undefined, name: string): boolean =>
  expression?.kind === "name" && expression.name === name;

export const isText = (expression: Expression | undefined, value: string): boolean =>
  expression?.kind === "text" && expression.value === value;

export const isConstant = (expression: Expression, value: "None" | "True" | "False"): boolean =>
  expression.kind === "constant" && expression.value === value;

/** `function(…)` with an argument of the wanted kind. */
export const isCall = (
  expression: Expression,
  name: string,
  isWanted: (argument: Expression) => boolean,
): boolean =>
  expression.kind === "call" &&
  isName(expression.callee, name) &&
  expression.args.some(({ value }) => isWanted(value));

/** Whether a loop over `source` is a loop over the requests, directly or through `enumerate(…)`. */
export const isOver = (source: Expression, requests: string): boolean =>
  isName(source, requests) || isCall(source, "enumerate", (argument) => isOver(argument, requests));

/** `object.method(…)`; undefined for anything else. */
export const methodCall = (
  expression: Expression,
): { readonly object: Expression; readonly name: string; readonly args: readonly Argument[] } | undefined =>
  expression.kind === "call" && expression.callee.kind === "attribute"
    ? { object: expression.callee.object, name: expression.callee.name, args: expression.args }
    : undefined;

/** Whether an expression is a list of `count` items. */
export const isListOf = (expression: Expression | undefined, count: number): boolean =>
  expression?.kind === "sequence" && expression.shape === "list" && expression.items.length === count;

export const mentions = (expression: Expression, name: string): boolean =>
  allParts(expression).some((part) => isName(part, name));
