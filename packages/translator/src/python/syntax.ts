import type { Span } from "@tritype/core";
import type { Variable } from "../ir/variable.ts";

/** An expression of the generated Python. Strings hold UTF-16 units. */
export type PyExpression =
  | PyName
  | PyVariable
  | PyText
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "format"; readonly parts: readonly (string | PyFormatted)[] }
  | { readonly kind: "list" | "tuple"; readonly items: readonly PyExpression[] }
  | { readonly kind: "dict"; readonly entries: readonly PyEntry[] }
  | { readonly kind: "unary"; readonly operator: "-" | "~" | "not"; readonly operand: PyExpression }
  | PyBinary
  | PyBetween
  | {
      readonly kind: "conditional";
      readonly test: PyExpression;
      readonly whenTrue: PyExpression;
      readonly otherwise: PyExpression;
    }
  | { readonly kind: "lambda"; readonly parameters: readonly PyParameter[]; readonly body: PyExpression }
  | { readonly kind: "call"; readonly callee: PyExpression; readonly args: readonly PyArgument[] }
  | { readonly kind: "attribute"; readonly object: PyExpression; readonly name: string }
  | { readonly kind: "subscript"; readonly object: PyExpression; readonly index: PyExpression }
  | {
      readonly kind: "slice";
      readonly from: PyExpression | undefined;
      readonly to: PyExpression | undefined;
      readonly step: PyExpression | undefined;
    }
  | PyComprehension
  | { readonly kind: "walrus"; readonly variable: Variable; readonly value: PyExpression }
  | { readonly kind: "star"; readonly value: PyExpression };

/** A name of Python or of the support code: `len`, `cut`, `None`. */
export interface PyName {
  readonly kind: "name";
  readonly id: string;
}
/** A variable of the user's code or of the translator. The printer chooses its name. */
export interface PyVariable {
  readonly kind: "variable";
  readonly variable: Variable;
}
export interface PyText {
  readonly kind: "text";
  readonly value: string;
}
/** A part of an f-string. `plain`: the value is a str; otherwise it is an int. */
export interface PyFormatted {
  readonly value: PyExpression;
  readonly plain: boolean;
}
export type PyEntry =
  | { readonly key: PyExpression; readonly value: PyExpression }
  | { readonly spread: PyExpression };
export interface PyBinary {
  readonly kind: "binary";
  readonly operator: PyOperator;
  readonly left: PyExpression;
  readonly right: PyExpression;
}
/** `low <= value < high` */
export interface PyBetween {
  readonly kind: "between";
  readonly low: PyExpression;
  readonly value: PyExpression;
  readonly high: PyExpression;
}
export type PyArithmetic = "+" | "-" | "*" | "/" | "//" | "%" | "<<" | ">>" | "&" | "^" | "|";
type PyComparison = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in" | "is" | "is not";
export type PyOperator = PyArithmetic | PyComparison | "and" | "or";
export interface PyArgument {
  readonly name?: string;
  readonly value: PyExpression;
}
export interface PyComprehension {
  readonly kind: "comprehension";
  readonly form: "list" | "generator" | "dict";
  /** The key, for a dict comprehension. */
  readonly element: PyExpression;
  readonly value?: PyExpression;
  readonly clauses: readonly PyClause[];
}
export interface PyClause {
  readonly target: PyExpression;
  readonly iterable: PyExpression;
  readonly test?: PyExpression;
}
export interface PyParameter {
  readonly variable: Variable;
  readonly form: "plain" | "optional" | "rest";
}

/** A statement. `at`: its position in the user's code; `comments`: the user's comments before it. */
export interface PyStatement {
  readonly at?: Span;
  readonly comments?: readonly string[];
  readonly does: PyDoes;
}
export type PyDoes =
  | { readonly kind: "assign"; readonly target: PyExpression; readonly value: PyExpression }
  | {
      readonly kind: "update";
      readonly target: PyExpression;
      readonly operator: PyArithmetic;
      readonly value: PyExpression;
    }
  | { readonly kind: "expression"; readonly value: PyExpression }
  | { readonly kind: "return" | "raise"; readonly value: PyExpression }
  | { readonly kind: "delete"; readonly target: PyExpression }
  | { readonly kind: "break" | "continue" | "pass" }
  | { readonly kind: "nonlocal"; readonly variables: readonly Variable[] }
  | {
      readonly kind: "if";
      readonly branches: readonly PyBranch[];
      readonly otherwise: readonly PyStatement[];
    }
  | { readonly kind: "while"; readonly test: PyExpression; readonly body: readonly PyStatement[] }
  | {
      readonly kind: "for";
      readonly target: PyExpression;
      readonly iterable: PyExpression;
      readonly body: readonly PyStatement[];
    }
  | {
      readonly kind: "try";
      readonly body: readonly PyStatement[];
      readonly except: PyExcept | undefined;
      readonly always: readonly PyStatement[];
    }
  | PyFunction;
export interface PyBranch {
  readonly test: PyExpression;
  readonly body: readonly PyStatement[];
}
export interface PyExcept {
  readonly type: PyExpression;
  readonly variable: Variable | undefined;
  readonly body: readonly PyStatement[];
}
export interface PyFunction {
  readonly kind: "function";
  readonly variable: Variable;
  readonly parameters: readonly PyParameter[];
  readonly body: readonly PyStatement[];
}
