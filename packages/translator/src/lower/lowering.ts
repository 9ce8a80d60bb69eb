import type { Span } from "@tritype/core";
import type { Expression, Lambda, NamedRead, Pattern as Binding, Statement } from "../ir/code.ts";
import type { ValueType } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import type { PyExpression, PyFunction, PyStatement } from "../python/syntax.ts";
import type { Num } from "../ranges/num.ts";
import type { Causes, RefusalCode } from "../refusals/refusals.ts";
import type { TranslatedRegExp } from "../regexp/translate-regexp.ts";

/** A callback in a comprehension. */
export interface Inlined {
  /** The variable of the comprehension: the element. */
  readonly target: PyExpression;
  /** The index, if the callback takes one. */
  readonly index: PyExpression | undefined;
  readonly value: PyExpression;
}

/** A user's regular expression, compiled once. */
export interface Pattern {
  readonly value: PyExpression;
  readonly flags: string;
  /** `groups` is missing if the possible patterns have different groups. */
  readonly regexp: Omit<TranslatedRegExp, "groups"> & {
    readonly groups: TranslatedRegExp["groups"] | undefined;
  };
}
/** How a pattern is used. "match": none of its groups are read. */
export type PatternUse = "match" | "groups";

/** Lowers the user's code to Python. Each file in this folder handles a part of it. */
export interface Lowering {
  readonly refuse: (
    at: Span,
    code: RefusalCode,
    what: string,
    instead?: string,
    causes?: Causes,
  ) => PyExpression;
  /** Refuses a value because of its type, which replaces `{type}` in `what`. */
  readonly refuseKind: (of: Pick<Expression, "type" | "at">, what: string, instead?: string) => PyExpression;
  /** Does the same for a value that may also be of type `any` or `unknown`. */
  readonly refuseAny: Lowering["refuseKind"];
  readonly num: (expression: Expression) => Num;
  readonly numOfVariable: (variable: Variable) => Num;
  /** Whether an expression is a variable that is written with `xs[i]!`, which may be undefined. */
  readonly isAsserted: (expression: Expression) => boolean;
  readonly expression: (expression: Expression) => PyExpression;
  /** A number as a float. */
  readonly float: (expression: Expression) => PyExpression;
  /** Whether the value is truthy in JavaScript. */
  readonly condition: (expression: Expression) => PyExpression;
  /** String(expression). */
  readonly text: (expression: Expression) => PyExpression;
  /** The items that `for…of` and spread iterate over. `pairs`: entries of a map may be tuples. */
  readonly iterable: (expression: Expression, pairs?: boolean) => PyExpression;
  /** Lowers the iterable of a comprehension, in which Python allows no assignments. */
  readonly source: <T>(lower: () => T) => T;
  /** Arguments of a call; spreads become stars. */
  readonly args: (
    expression: Expression & { readonly kind: "invocation" | "call" },
  ) => readonly PyExpression[];
  /** Evaluates a value once for two uses. `first` evaluates and stores the value; `again` is the stored value. */
  readonly hold: (
    value: PyExpression,
    type: ValueType,
    use: (first: PyExpression, again: PyExpression) => PyExpression,
  ) => PyExpression;
  /** Inlines a callback that is immediately called on each element of an iterable. `form`: how its result is used. */
  readonly inline: (callback: Expression, element: ValueType, form: "value" | "condition") => Inlined;
  /** Maximum number of arguments that a callback may take if it is not a function literal. */
  readonly takes: (callback: Expression) => number;
  /** A callback that is called immediately, as a function. */
  readonly callable: (callback: Expression) => PyExpression;
  readonly statements: (statements: readonly Statement[]) => readonly PyStatement[];
  /** Statements that bind a pattern to a value. */
  readonly bind: (pattern: Binding, value: PyExpression, type: ValueType) => readonly PyStatement[];
  readonly define: (variable: Variable, lambda: Lambda) => PyFunction;
  /** Puts a statement in front of the one that is being lowered. */
  readonly before: (statement: PyStatement) => void;
  /** A name that the translator adds to the function being lowered. */
  readonly temporary: (name: string, type: ValueType) => Variable;
  /** A name for an expression's result, assigned before the statement; undefined if that would be too early. */
  readonly named: (expression: Expression) => Expression | undefined;
  /** The pattern that a regular expression denotes; undefined if it is refused. */
  readonly pattern: (expression: Expression, use?: PatternUse) => Pattern | undefined;
  /** The function that writes JSON of values of a type. */
  readonly jsonWriter: (type: ValueType) => PyExpression;
  /** Whether the expression's result has no other references. */
  readonly isFresh: (expression: Expression) => boolean;
  /** Whether the code treats the holes in the result of `new Array(n)` like undefined. */
  readonly holdsNoHoles: (made: Expression) => boolean;
  /** Whether the order matters in which two expressions are evaluated. */
  readonly mayInterfere: (a: Expression, b: Expression) => boolean;
  /** Refuses a callback that adds elements to the array that it is called for, or removes some. */
  readonly keepsLength: (array: Expression, callback: Expression) => void;
  /** Refuses to iterate over a map or set that `body` may change. */
  readonly steadyWhile: (iterable: Expression, body: unknown) => void;
  /** Whether an index is certainly within an array or string. */
  readonly isProven: (object: Expression, index: Expression) => boolean;
  /** Whether a record certainly has its own property of this name here. */
  readonly hasOwn: (object: Expression, key: Expression) => boolean;
  /** Notes that both languages must check the key of a read or write against inherited names. */
  readonly checksName: (read: NamedRead, does: "reads" | "writes") => void;
  /** Names of properties that a record may lack although its type has them. */
  readonly lacking: ReadonlySet<string>;
  /** Whether Python allows an assignment inside an expression here. */
  readonly takesAssignments: () => boolean;
}
