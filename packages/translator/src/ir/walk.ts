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

/** Variables that a pattern binds. */
export const boundIn = (pattern: Pattern): readonly (Pattern & { readonly kind: "bind" })[] => {
  switch (pattern.kind) {
    case "bind":
      return [pattern];
    case "place":
      return [];
    default: {
      const parts = pattern.kind === "items" ? pattern.items : pattern.fields;
      return [
        ...parts.flatMap((part) => (part === undefined ? [] : boundIn(part.pattern))),
        ...(pattern.rest === undefined ? [] : boundIn(pattern.rest)),
      ];
    }
  }
};

/** Whether two expressions certainly have the same value if nothing is assigned between them. */
export const isSame = (a: Expression, b: Expression): boolean => {
  if (a.kind === "variable" && b.kind === "variable") return a.variable === b.variable;
  if (a.kind === "text" && b.kind === "text") return a.value === b.value;
  if (a.kind === "number" && b.kind === "number") return a.value === b.value;
  if (a.kind === "property" && b.kind === "property") return a.name === b.name && isSame(a.object, b.object);
  return false;
};
