import { builtins } from "../builtins/table.ts";
import type { Expression, Pattern } from "../ir/expression.ts";
import type { Statement } from "../ir/statement.ts";
import type { Variable } from "../ir/variable.ts";
import { isSame, walk } from "../ir/walk.ts";

/** Variables that statements write. */
export const writesIn = (body: unknown): ReadonlySet<Variable> => {
  const found = new Set<Variable>();
  const add = (pattern: Pattern): void => {
    if (pattern.kind === "place" && pattern.target.kind === "variable") found.add(pattern.target.variable);
    if (pattern.kind === "items")
      for (const part of [...pattern.items.map((item) => item?.pattern), pattern.rest])
        if (part !== undefined) add(part);
  };
  walk(body, {
    statement({ does }: Statement) {
      if (does.kind === "assign") add(does.target);
      if (does.kind === "count" && does.target.kind === "variable") found.add(does.target.variable);
      if (does.kind === "for of") add(does.pattern);
    },
  });
  return found;
};

/** Whether an expression keeps its value while statements run: no variable of it is written, no length of it changes. */
export const isSteadyIn = (expression: Expression, body: unknown): boolean => {
  const writes = writesIn(body);
  let steady = true;
  const parts: Expression[] = [];
  walk(expression, {
    expression(part) {
      parts.push(part);
      if (part.kind === "variable" && writes.has(part.variable)) steady = false;
      if (part.kind === "call" || part.kind === "lambda") steady = false;
      if (
        part.kind === "property" &&
        part.name !== "length" &&
        part.name !== "size" &&
        writesProperty(body, part.name)
      )
        steady = false;
      if (part.kind === "element") steady = false;
    },
  });
  if (!steady) return false;
  walk(body, {
    expression(seen) {
      if (seen.kind === "call" && parts.some((part) => isCaptured(part))) return;
      if (seen.kind !== "invocation" || seen.receiver === undefined) return;
      const row = builtins[seen.row];
      if (row === undefined || "refuse" in row || row.resizes !== true) return;
      const { receiver } = seen;
      if (parts.some((part) => isSame(part, receiver))) steady = false;
    },
    statement({ does }) {
      if (does.kind !== "assign" || does.target.kind !== "place") return;
      const { target } = does.target;
      if (
        target.kind === "element" &&
        parts.some((part) => isSame(part, target.object)) &&
        expression.kind === "property"
      )
        steady = steady && isInside(target.index);
    },
  });
  return steady;
};

/** An element that is written may be a new one at the end. */
const isInside = (index: Expression): boolean => index.kind === "variable";

const isCaptured = (part: Expression): boolean => part.kind === "variable" && part.variable.kind === "let";

const writesProperty = (body: unknown, name: string): boolean => {
  let found = false;
  walk(body, {
    statement({ does }) {
      if (
        does.kind === "assign" &&
        does.target.kind === "place" &&
        does.target.target.kind === "property" &&
        does.target.target.name === name
      )
        found = true;
      if (does.kind === "count" && does.target.kind === "property" && does.target.name === name) found = true;
    },
  });
  return found;
};
