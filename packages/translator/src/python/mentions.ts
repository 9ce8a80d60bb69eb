import type { Variable } from "../ir/variable.ts";
import type { PyStatement } from "./syntax.ts";

/** The names that a tree mentions. */
export interface Mentions {
  /** Names of Python and of the support code. */
  readonly names: ReadonlySet<string>;
  /** Variables in order of first mention, each with the numbers of the Python functions that mention it. */
  readonly variables: ReadonlyMap<Variable, ReadonlySet<number>>;
}

export const mentionsIn = (statements: readonly PyStatement[]): Mentions => {
  const names = new Set<string>();
  const variables = new Map<Variable, Set<number>>();
  let functions = 0;
  const mention = (variable: Variable, inside: number): void => {
    const found = variables.get(variable);
    if (found === undefined) variables.set(variable, new Set([inside]));
    else found.add(inside);
  };
  const visit = (node: unknown, inside: number): void => {
    if (Array.isArray(node)) for (const part of node) visit(part, inside);
    else if (isNode(node)) visitNode(node, inside);
  };
  const visitNode = (node: Readonly<Record<string, unknown>>, inside: number): void => {
    if (isVariable(node)) return mention(node, inside);
    if (node["kind"] === "name" && typeof node["id"] === "string") names.add(node["id"]);
    const own = node["kind"] === "lambda" || node["kind"] === "function" ? ++functions : inside;
    for (const [key, part] of Object.entries(node)) {
      if (key === "at" || key === "comments") continue;
      visit(part, key === "variable" && node["kind"] === "function" ? inside : own);
    }
    if (node["form"] === "optional") names.add("undefined");
  };
  visit(statements, 0);
  return { names, variables };
};

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isVariable = (node: object): node is Variable => "scope" in node && "name" in node;
