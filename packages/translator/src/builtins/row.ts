import type { Invocation } from "../ir/code.ts";
import type { Lowering } from "../lower/lowering.ts";
import type { PyExpression, PyStatement } from "../python/syntax.ts";
import type { Num } from "../ranges/num.ts";
import type { RefusalCode } from "../refusals/refusals.ts";

/** Something of JavaScript that is translated. */
export interface TranslatedRow {
  /** Fewest and most arguments. */
  readonly args: readonly [number, number];
  /** Its value in Python; may refuse through the lowering. */
  readonly lower: (call: Invocation, lowering: Lowering) => PyExpression;
  /** If it is a statement and its value is not used. */
  readonly statement?: (call: Invocation, lowering: Lowering) => readonly PyStatement[];
  /** Of a number that it makes, by those that it takes. */
  readonly number?: (args: readonly Num[], call: Invocation) => Num;
  /** Of the parameters of a callback. */
  readonly callback?: readonly (Num | undefined)[];
  /** It makes a new array, map or set without other references. */
  readonly fresh?: boolean;
  /** Its elements have no other references either. */
  readonly deep?: boolean;
  /** It changes its receiver. */
  readonly changes?: boolean;
  /** It changes how many elements its receiver has. */
  readonly resizes?: boolean;
}
/** Something of JavaScript that has no exact meaning in Python. */
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
  /** Of a value; without it, of a namespace. */
  readonly lower: (object: PyExpression | undefined) => PyExpression;
}
export type PropertyRows = Readonly<Record<string, PropertyRow | undefined>>;
