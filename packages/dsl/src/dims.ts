import type { Dim, Dims } from "@tritype/core";

/** `["batch", 384]` → `"batch, 384"`; only computed when an error is shown. */
export type ShowDims<S extends Dims> = number extends S["length"]
  ? "..."
  : S extends readonly []
    ? ""
    : S extends readonly [infer A extends Dim]
      ? `${A}`
      : S extends readonly [infer A extends Dim, ...infer R extends Dims]
        ? `${A}, ${ShowDims<R>}`
        : "...";

/**
 * Whether the actual size matches the expected one: a name matches any size, and a literal only matches itself; `-1` on either side is an
 * unknown size.
 */
export type DimFits<Got, Want> = Want extends string
  ? true
  : Got extends Want
    ? true
    : -1 extends Got
      ? true
      : number extends Got
        ? true
        : Want extends -1
          ? true
          : number extends Want
            ? true
            : false;

/** The positions at which `Got` does not match `Want` (of the same rank). */
export type Misfits<Got extends Dims, Want extends Dims> = {
  [P in keyof Want]: P extends keyof Got ? (DimFits<Got[P], Want[P]> extends true ? never : P) : never;
}[number];

/** Whether rank and literals agree, or one of the ranks is unknown. */
export type DimsFit<Got extends Dims, Want extends Dims> = number extends Got["length"]
  ? true
  : number extends Want["length"]
    ? true
    : Got["length"] extends Want["length"]
      ? [Misfits<Got, Want>] extends [never]
        ? true
        : false
      : false;

/** Axis of a shape of rank R: number (possibly from the end) → index as a tuple key. */
export interface AxisTable {
  0: {};
  1: { "0": "0"; "-1": "0" };
  2: { "0": "0"; "1": "1"; "-1": "1"; "-2": "0" };
  3: { "0": "0"; "1": "1"; "2": "2"; "-1": "2"; "-2": "1"; "-3": "0" };
  4: { "0": "0"; "1": "1"; "2": "2"; "3": "3"; "-1": "3"; "-2": "2"; "-3": "1"; "-4": "0" };
  5: {
    "0": "0";
    "1": "1";
    "2": "2";
    "3": "3";
    "4": "4";
    "-1": "4";
    "-2": "3";
    "-3": "2";
    "-4": "1";
    "-5": "0";
  };
  6: {
    "0": "0";
    "1": "1";
    "2": "2";
    "3": "3";
    "4": "4";
    "5": "5";
    "-1": "5";
    "-2": "4";
    "-3": "3";
    "-4": "2";
    "-5": "1";
    "-6": "0";
  };
}
/** The axes of a tensor of rank R, by number. */
interface AxisNumber {
  0: never;
  1: 0 | -1;
  2: 0 | 1 | -1 | -2;
  3: 0 | 1 | 2 | -1 | -2 | -3;
  4: 0 | 1 | 2 | 3 | -1 | -2 | -3 | -4;
  5: 0 | 1 | 2 | 3 | 4 | -1 | -2 | -3 | -4 | -5;
  6: 0 | 1 | 2 | 3 | 4 | 5 | -1 | -2 | -3 | -4 | -5 | -6;
}
/** The allowed values of an `axis`: a name in the shape, or a number within its rank. */
export type AxisOf<S extends Dims> = number extends S["length"]
  ? Dim
  : (S[number] & string) | (S["length"] extends keyof AxisNumber ? AxisNumber[S["length"]] : number);
/** Index (as tuple key) of an axis given by number or by name; `never` when there is none. */
export type AxisIndex<S extends Dims, A extends Dim> = A extends number
  ? S["length"] extends keyof AxisTable
    ? `${A}` extends keyof AxisTable[S["length"]]
      ? AxisTable[S["length"]][`${A}`]
      : never
    : never
  : { [P in keyof S]: S[P] extends A ? P : never }[number];

/** Every index (as tuple key) of a shape. */
export type AllIndices<S extends Dims> = S["length"] extends keyof AxisTable
  ? AxisTable[S["length"]][keyof AxisTable[S["length"]]]
  : never;

/** Like `AxisTable`, for a new axis of a tensor of rank R. */
export interface NewAxisTable {
  0: AxisTable[1];
  1: AxisTable[2];
  2: AxisTable[3];
  3: AxisTable[4];
  4: AxisTable[5];
  5: AxisTable[6];
}
interface NewAxisNumber {
  0: AxisNumber[1];
  1: AxisNumber[2];
  2: AxisNumber[3];
  3: AxisNumber[4];
  4: AxisNumber[5];
  5: AxisNumber[6];
}
/** Allowed positions of a new axis: numbers within the rank of the result. */
export type NewAxisOf<S extends Dims> = S["length"] extends keyof NewAxisNumber
  ? NewAxisNumber[S["length"]]
  : number;

export type SetAt<S extends Dims, P, V extends Dim> = { [I in keyof S]: I extends P ? V : S[I] };
export type RemoveAt<S extends Dims, P, Out extends Dims = []> = S extends readonly [
  infer H extends Dim,
  ...infer R extends Dims,
]
  ? `${Out["length"]}` extends P
    ? [...Out, ...R]
    : RemoveAt<R, P, [...Out, H]>
  : Out;
export type InsertAt<S extends Dims, P, V extends Dims, Out extends Dims = []> = `${Out["length"]}` extends P
  ? [...Out, ...V, ...S]
  : S extends readonly [infer H extends Dim, ...infer R extends Dims]
    ? InsertAt<R, P, V, [...Out, H]>
    : Dims;
/** Replaces the dim at P with the dims V (gather). */
export type ReplaceAt<S extends Dims, P, V extends Dims, Out extends Dims = []> = S extends readonly [
  infer H extends Dim,
  ...infer R extends Dims,
]
  ? `${Out["length"]}` extends P
    ? [...Out, ...V, ...R]
    : ReplaceAt<R, P, V, [...Out, H]>
  : Out;

/** One dim of an elementwise result; `never` if the two dims do not match. */
export type BroadcastDim<A, B> = [A] extends [B]
  ? A
  : A extends 1
    ? B
    : B extends 1
      ? A
      : A extends -1
        ? B extends string
          ? -1
          : B
        : B extends -1
          ? A extends string
            ? -1
            : A
          : never;

/** NumPy broadcasting from the right; `false` if two dims do not match; unknown rank gives unknown rank. */
export type Broadcast<A extends Dims, B extends Dims, Out extends Dims = []> = A extends readonly [
  ...infer AH extends Dims,
  infer AL extends Dim,
]
  ? B extends readonly [...infer BH extends Dims, infer BL extends Dim]
    ? BroadcastDim<AL, BL> extends infer D extends Dim
      ? [D] extends [never]
        ? false
        : Broadcast<AH, BH, [D, ...Out]>
      : false
    : B extends readonly []
      ? [...A, ...Out]
      : Dims
  : A extends readonly []
    ? number extends B["length"]
      ? Dims
      : [...B, ...Out]
    : Dims;
