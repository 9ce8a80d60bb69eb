import type { Expression, Lambda, NamedRead, Pattern as Binding, Statement } from "../ir/code.ts";
import type { ValueType } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import type { PyExpression, PyFunction, PyStatement } from "../python/syntax.ts";
import type { Num } from "../ranges/num.ts";
import type { RefusalCode } from "../refusals/refusals.ts";
import type { TranslatedRegExp } from "../regexp/translate-regexp.ts";
import type { Place } from "../translation.ts";

/** A callback of one element (and its position) inside a comprehension. */
export interface Inlined {
  /** The variable of the comprehension: the element. */
  readonly target: PyExpression;
  /** The position, if the callback takes it. */
  readonly index: PyExpression | undefined;
  readonly value: PyExpression;
}

/** A user's regular expression, compiled once. */
export interface Pattern {
  readonly value: PyExpression;
  readonly flags: string;
  /** Without groups if they differ among the possible patterns. */
  readonly regexp: Omit<TranslatedRegExp, "groups"> & {
    readonly groups: TranslatedRegExp["groups"] | undefined;
  };
}
/** How a pattern is used: "match" does not read any of its groups. */
export type PatternUse = "match" | "groups";

/** Lowers the user's code to Python; each file of this folder handles one part of it. */
export interface Lowering {
  readonly refuse: (at: Place, code: RefusalCode, what: string, instead?: string) => PyExpression;
  /** Refuses a value because of its type, which is `{type}` in `what`. */
  readonly refuseKind: (of: Expression, what: string, instead?: string) => PyExpression;
  /** The same for a value that may also be of type `any` or `unknown`. */
  readonly refuseAny: (of: Expression, what: string, instead?: string) => PyExpression;
  readonly num: (expression: Expression) => Num;
  readonly numOfVariable: (variable: Variable) => Num;
  readonly expression: (expression: Expression) => PyExpression;
  /** A number as a float. */
  readonly float: (expression: Expression) => PyExpression;
  /** Whether it is truthy in JavaScript. */
  readonly condition: (expression: Expression) => PyExpression;
  /** String(expression). */
  readonly text: (expression: Expression) => PyExpression;
  /** The items that `for…of` and spread get. `pairs`: tuples will do for the entries of a map. */
  readonly iterable: (expression: Expression, pairs?: boolean) => PyExpression;
  /** An iterable of a comprehension, where Python does not allow assignments. */
  readonly source: <T>(lower: () => T) => T;
  /** Arguments of a call; spreads become stars. */
  readonly args: (
    expression: Expression & { readonly kind: "invocation" | "call" },
  ) => readonly PyExpression[];
  /** Uses a value twice: first the expression that makes it, then its stored result. */
  readonly hold: (
    value: PyExpression,
    type: ValueType,
    use: (first: PyExpression, again: PyExpression) => PyExpression,
  ) => PyExpression;
  /** A function that is called on each element of an iterable immediately. `form`: what the result is used for. */
  readonly inline: (callback: Expression, element: ValueType, form: "value" | "condition") => Inlined;
  /** Maximum number of arguments that a function not written in place may take. */
  readonly takes: (callback: Expression) => number;
  /** A callback as a separate function that is called immediately. */
  readonly callable: (callback: Expression) => PyExpression;
  readonly statements: (statements: readonly Statement[]) => readonly PyStatement[];
  /** Statements, with the code that must come before them. */
  readonly bind: (pattern: Binding, value: PyExpression, type: ValueType) => readonly PyStatement[];
  readonly define: (variable: Variable, lambda: Lambda) => PyFunction;
  /** Puts a statement in front of the one that is being lowered. */
  readonly before: (statement: PyStatement) => void;
  /** A name that the translator adds to the function being lowered. */
  readonly temporary: (name: string, type: ValueType) => Variable;
  /** A name for an expression's result, assigned before the statement; undefined if that would be too early. */
  readonly named: (expression: Expression) => Expression | undefined;
  /** The pattern that a regular expression denotes; undefined after a refusal. */
  readonly pattern: (expression: Expression, use?: PatternUse) => Pattern | undefined;
  /** The function that writes JSON of values of a type. */
  readonly jsonWriter: (type: ValueType) => PyExpression;
  /** Whether the expression's result has no other references. */
  readonly isFresh: (expression: Expression) => boolean;
  /** Whether nothing distinguishes the holes in the result of `new Array(n)` from undefined. */
  readonly holdsNoHoles: (made: Expression) => boolean;
  /** Refuses to iterate over a map or set while `body` runs if `body` may change it. */
  readonly steadyWhile: (iterable: Expression, body: unknown) => void;
  /** Whether a position is certainly within an array or text. */
  readonly isProven: (object: Expression, index: Expression) => boolean;
  /** Whether a record certainly has its own property of this name here. */
  readonly hasOwn: (object: Expression, key: Expression) => boolean;
  /** Records that a string that reads a record is checked against inherited names; both languages check this. */
  readonly checksName: (read: NamedRead, does: "reads" | "writes") => void;
  /** Names of properties that a record may lack although its type has them. */
  readonly lacking: ReadonlySet<string>;
  /** Whether Python allows an assignment inside an expression here. */
  readonly takesAssignments: () => boolean;
}
