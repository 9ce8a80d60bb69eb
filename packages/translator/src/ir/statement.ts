import type { Place } from "../translation.ts";
import type { Arithmetic, Expression, Lambda, Pattern } from "./expression.ts";
import type { Scope, Variable } from "./variable.ts";

/** A statement of the user's. `comments`: the lines before it. */
export interface Statement {
  readonly at: Place;
  readonly comments: readonly string[];
  readonly does: Does;
}

type Does =
  | { readonly kind: "declare"; readonly pattern: Pattern; readonly value: Expression | undefined }
  | { readonly kind: "function"; readonly variable: Variable; readonly lambda: Lambda }
  | {
      readonly kind: "assign";
      readonly target: Pattern;
      readonly operator: Arithmetic | "??" | "||" | "&&" | undefined;
      readonly value: Expression;
    }
  | { readonly kind: "count"; readonly target: Expression; readonly by: 1 | -1 }
  | { readonly kind: "delete"; readonly target: Expression }
  | { readonly kind: "expression"; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly test: Expression;
      readonly then: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: "for of";
      readonly scope: Scope;
      readonly pattern: Pattern;
      readonly iterable: Expression;
      readonly body: readonly Statement[];
    }
  | For
  | { readonly kind: "while"; readonly test: Expression; readonly body: readonly Statement[] }
  | { readonly kind: "do"; readonly test: Expression; readonly body: readonly Statement[] }
  | { readonly kind: "switch"; readonly value: Expression; readonly cases: readonly Case[] }
  | { readonly kind: "return"; readonly value: Expression | undefined }
  | { readonly kind: "throw"; readonly value: Expression }
  | { readonly kind: "break" | "continue" }
  | {
      readonly kind: "try";
      readonly body: readonly Statement[];
      readonly caught: Variable | undefined;
      readonly handler: readonly Statement[] | undefined;
      readonly always: readonly Statement[];
    }
  | { readonly kind: "block"; readonly body: readonly Statement[] };

export interface For {
  readonly kind: "for";
  readonly scope: Scope;
  readonly start: readonly Statement[];
  readonly test: Expression | undefined;
  readonly step: readonly Statement[];
  readonly body: readonly Statement[];
}

export interface Case {
  /** Labels that lead here; undefined stands for `default`. */
  readonly labels: readonly (Expression | undefined)[];
  readonly body: readonly Statement[];
  readonly at: Place;
}

/** Something the module declares: a constant, or a function. */
export interface Declaration {
  readonly variable: Variable;
  readonly value: Expression;
  readonly at: Place;
  readonly comments: readonly string[];
}
