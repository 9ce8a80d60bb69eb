import type { Invocation } from "../ir/code.ts";
import type { Lowering } from "../lower/lowering.ts";
import type { PyExpression, PyStatement } from "../python/syntax.ts";
import type { Num } from "../ranges/num.ts";
import type { RefusalCode } from "../refusals/refusals.ts";

/** Something built into JavaScript that can be translated. */
export interface TranslatedRow {
  /** Minimum and maximum number of arguments. Default: exactly one. */
  readonly args?: readonly [number, number];
  /** Its value in Python; may refuse through the lowering. */
  readonly lower: (call: Invocation, lowering: Lowering) => PyExpression;
  /** Its value if it is a statement whose result is not used. */
  readonly statement?: (call: Invocation, lowering: Lowering) => readonly PyStatement[];
  /** The number that it returns, given those that it takes. */
  readonly number?: (args: readonly Num[], call: Invocation) => Num;
  /** The numbers that a callback receives as parameters. */
  readonly callback?: readonly (Num | undefined)[];
  /** It creates a new array, map or set that has no other references. */
  readonly fresh?: boolean;
  /** Its elements have no other references either. */
  readonly deep?: boolean;
  /** It changes its receiver. */
  readonly changes?: boolean;
  /** It changes the number of elements of its receiver. */
  readonly resizes?: boolean;
}
/** Something built into JavaScript that has no exact equivalent in Python. */
export interface RefusedRow {
  readonly refuse: RefusalCode;
  readonly why: string;
  readonly instead?: string;
}
export type Row = TranslatedRow | RefusedRow;
/** By receiver and name: "string.slice", "Math.floor", "new Map". */
export type Rows = Readonly<Record<string, Row | undefined>>;

export interface PropertyRow {
  readonly number?: Num;
  /** A property of a value, or of a namespace if there is no `object`. */
  readonly lower: (object: PyExpression | undefined) => PyExpression;
}
export type PropertyRows = Readonly<Record<string, PropertyRow | undefined>>;
