import type { Invocation } from "../ir/code.ts";
import type { Lowering } from "../lower/lowering.ts";
import type { PyExpression, PyStatement } from "../python/syntax.ts";
import type { Num } from "../ranges/num.ts";
import type { RefusalCode } from "../refusals/refusals.ts";

/** A JavaScript built-in that can be translated. */
export interface TranslatedRow {
  /** Minimum and maximum number of arguments. Default: exactly one. */
  readonly args?: readonly [number, number];
  /** The advice for a call with more arguments. */
  readonly instead?: string;
  /** The call in Python; may record a refusal in `lowering`. */
  readonly lower: (call: Invocation, lowering: Lowering) => PyExpression;
  /** The call as a statement, if its result is not used. */
  readonly statement?: (call: Invocation, lowering: Lowering) => readonly PyStatement[];
  /** The range of the result, given the ranges of the arguments. */
  readonly number?: (args: readonly Num[], call: Invocation) => Num;
  /** The ranges of the numbers that a callback receives. */
  readonly callback?: readonly (Num | undefined)[];
  /** Whether the built-in returns a new array, map or set. */
  readonly fresh?: boolean;
  /** Whether the elements are new, too. */
  readonly deep?: boolean;
  /** Whether the built-in changes its receiver. */
  readonly changes?: boolean;
  /** Whether the built-in changes the number of elements of its receiver. */
  readonly resizes?: boolean;
}
/** A JavaScript built-in that has no exact equivalent in Python. */
export interface RefusedRow {
  readonly refuse: RefusalCode;
  readonly why: string;
  readonly instead?: string;
}
/** A built-in that has an equivalent in the user's own code. */
export const untranslated = (instead: string): RefusedRow => ({
  refuse: "function/built-in",
  why: "not translated",
  instead,
});
export type Row = TranslatedRow | RefusedRow;
/** Rows by receiver and name: "string.slice", "Math.floor", "new Map". */
export type Rows = Readonly<Record<string, Row | undefined>>;

export interface PropertyRow {
  readonly number?: Num;
  /** The property in Python. `object` is undefined for a property of a namespace. */
  readonly lower: (object: PyExpression | undefined) => PyExpression;
}
export type PropertyRows = Readonly<Record<string, PropertyRow | undefined>>;
