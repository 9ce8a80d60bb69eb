import type { ValueType } from "./value-type.ts";

/** The scope of a name. Functions and blocks are nested; the outermost scope is the module. */
export interface Scope {
  readonly kind: "module" | "function" | "loop" | "block";
  readonly parent: Scope | undefined;
}

/** A variable, compared by identity. */
export interface Variable {
  /** The user's name for it, or a name that the translator adds. */
  readonly name: string;
  readonly kind: "module" | "const" | "let" | "parameter" | "caught" | "temporary";
  readonly scope: Scope;
  readonly type: ValueType;
}

export const scopeIn = (parent: Scope | undefined, kind: Scope["kind"]): Scope => ({ kind, parent });

/** Whether `inner` is `outer` or is nested in it. */
export const liesIn = (inner: Scope | undefined, outer: Scope): boolean => {
  for (let scope = inner; scope !== undefined; scope = scope.parent) if (scope === outer) return true;
  return false;
};

/** The function that contains a scope, or the module. */
export const functionScope = (scope: Scope): Scope =>
  scope.kind === "function" || scope.kind === "module" || scope.parent === undefined
    ? scope
    : functionScope(scope.parent);
