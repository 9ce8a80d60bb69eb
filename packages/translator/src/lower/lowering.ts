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
  /** What the comprehension binds: the element. */
  readonly target: PyExpression;
  /** The position, where the callback takes it. */
  readonly index: PyExpression | undefined;
  readonly value: PyExpression;
}

/** A regular expression of the user's, compiled once. */
export interface Pattern {
  readonly value: PyExpression;
  readonly flags: string;
  /** Without groups where they differ among the patterns that may be meant. */
  readonly regexp: Omit<TranslatedRegExp, "groups"> & {
    readonly groups: TranslatedRegExp["groups"] | undefined;
  };
}
/** What is asked of a pattern: "match" reads no group of it. */
export type PatternUse = "match" | "groups";

/** Lowers the user's code to Python; each file of this folder handles one part of it. */
export interface Lowering {
  readonly refuse: (at: Place, code: RefusalCode, what: string, instead?: string) => PyExpression;
  readonly num: (expression: Expression) => Num;
  readonly numOfVariable: (variable: Variable) => Num;
  readonly expression: (expression: Expression) => PyExpression;
  /** A number as a float. */
  readonly float: (expression: Expression) => PyExpression;
  /** Whether JavaScript takes it for true. */
  readonly condition: (expression: Expression) => PyExpression;
  /** String(expression). */
  readonly text: (expression: Expression) => PyExpression;
  /** What `for…of` and spread see. `pairs`: tuples will do for the entries of a map. */
  readonly iterable: (expression: Expression, pairs?: boolean) => PyExpression;
  /** An iterable of a comprehension, where Python allows no assignment. */
  readonly source: <T>(lower: () => T) => T;
  /** Arguments of a call; spreads become stars. */
  readonly args: (
    expression: Expression & { readonly kind: "invocation" | "call" },
  ) => readonly PyExpression[];
  /** Uses a value twice: first as it is made, then as it is kept. */
  readonly hold: (
    value: PyExpression,
    type: ValueType,
    use: (first: PyExpression, again: PyExpression) => PyExpression,
  ) => PyExpression;
  /** A function that is called on each element of an iterable, at once. `form`: what is asked of it. */
  readonly inline: (callback: Expression, element: ValueType, form: "value" | "condition") => Inlined;
  /** Most arguments that a function which is not written there may take. */
  readonly takes: (callback: Expression) => number;
  /** A callback as a function of its own, which is called at once. */
  readonly callable: (callback: Expression) => PyExpression;
  readonly statements: (statements: readonly Statement[]) => readonly PyStatement[];
  /** Statements, with the code that must come before them. */
  readonly bind: (pattern: Binding, value: PyExpression, type: ValueType) => readonly PyStatement[];
  readonly define: (variable: Variable, lambda: Lambda) => PyFunction;
  /** Puts a statement before the one that is being lowered. */
  readonly before: (statement: PyStatement) => void;
  /** A name of the translator's own in the function that is being lowered. */
  readonly temporary: (name: string, type: ValueType) => Variable;
  /** A name for what an expression makes, given before the statement; undefined where it may not be made that early. */
  readonly named: (expression: Expression) => Expression | undefined;
  /** The pattern that a regular expression stands for; undefined after a refusal. */
  readonly pattern: (expression: Expression, use?: PatternUse) => Pattern | undefined;
  /** The function that writes JSON of values of a type. */
  readonly jsonWriter: (type: ValueType) => PyExpression;
  /** Whether the expression's result has no other references. */
  readonly isFresh: (expression: Expression) => boolean;
  /** Whether nothing tells the holes of what `new Array(n)` makes from undefined. */
  readonly holdsNoHoles: (made: Expression) => boolean;
  /** Refuses a map or set as what is gone through while `body` runs, where that may change it. */
  readonly steadyWhile: (iterable: Expression, body: unknown) => void;
  /** Whether a position surely lies in an array or text. */
  readonly isProven: (object: Expression, index: Expression) => boolean;
  /** Whether a record surely has a key of its own here. */
  readonly hasOwn: (object: Expression, key: Expression) => boolean;
  /** Notes that a text is checked against inherited names where it reads a record; both languages do this. */
  readonly checksName: (read: NamedRead, does: "reads" | "writes") => void;
  /** Names of properties that a record may lack although its type has them. */
  readonly lacking: ReadonlySet<string>;
  /** Whether Python takes an assignment inside of an expression here. */
  readonly takesAssignments: () => boolean;
}
