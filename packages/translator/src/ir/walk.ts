import type { Expression, Pattern, Statement } from "./code.ts";

/** Calls `see` on every expression and statement in a tree of the user's code, outermost first. */
export const walk = (
  tree: unknown,
  see: { readonly expression?: (e: Expression) => void; readonly statement?: (s: Statement) => void },
): void => {
  if (Array.isArray(tree)) {
    for (const part of tree) walk(part, see);
    return;
  }
  if (typeof tree !== "object" || tree === null) return;
  if ("does" in tree) see.statement?.(tree as Statement);
  else if (
    "kind" in tree &&
    "type" in tree &&
    "at" in tree &&
    tree.kind !== "items" &&
    tree.kind !== "fields"
  )
    see.expression?.(tree as Expression);
  // Not `Object.entries`: this runs many times over each function.
  for (const key in tree) if (!leaves.has(key)) walk((tree as Readonly<Record<string, unknown>>)[key], see);
};

/** Properties that contain no code. */
export const leaves: ReadonlySet<string> = new Set([
  "type",
  "at",
  "variable",
  "held",
  "scope",
  "comments",
  "caught",
  "result",
]);

/** The variables that a pattern binds. */
export const boundIn = (pattern: Pattern): readonly (Pattern & { readonly kind: "bind" })[] =>
  endsOf(pattern).filter((end) => end.kind === "bind");

/** The variables that a pattern binds, and the places that it writes. */
export const endsOf = (pattern: Pattern): readonly (Pattern & { readonly kind: "bind" | "place" })[] => {
  if (pattern.kind === "bind" || pattern.kind === "place") return [pattern];
  const parts = pattern.kind === "items" ? pattern.items : pattern.fields;
  return [...parts.map((part) => part?.pattern), pattern.rest].flatMap((part) => (part ? endsOf(part) : []));
};

/** Whether two expressions certainly have the same value if nothing is assigned between them. */
export const isSame = (a: Expression, b: Expression): boolean => {
  if (a.kind === "variable" && b.kind === "variable") return a.variable === b.variable;
  if (a.kind === "text" && b.kind === "text") return a.value === b.value;
  if (a.kind === "number" && b.kind === "number") return a.value === b.value;
  if (a.kind === "property" && b.kind === "property") return a.name === b.name && isSame(a.object, b.object);
  return false;
};
