import type { Dim, Dims, NumericDType } from "@tritype/core";
import { callSite } from "./call-site.ts";
import type { BroadcastDim } from "./dims.ts";
import type { Known } from "./elementwise.ts";
import { only, recordOperator } from "./handle.ts";
import type { Show } from "./show.ts";
import type { AnyTensor } from "./any-tensor.ts";
import type { Tensor } from "./tensor.ts";

type Labels<S extends string, Out extends readonly string[] = []> = S extends `${infer L}${infer R}`
  ? Labels<R, L extends " " ? Out : [...Out, L]>
  : Out;
type Terms<
  S extends string,
  Out extends readonly (readonly string[])[] = [],
> = S extends `${infer T},${infer R}` ? Terms<R, [...Out, Labels<T>]> : [...Out, Labels<S>];

/** The labels of each tensor and of the result; `undefined` if only the compiler can determine them: an ellipsis, no `->`. */
type Parsed<E extends string> = string extends E
  ? undefined
  : E extends `${string}...${string}`
    ? undefined
    : E extends `${infer L}->${infer R}`
      ? { terms: Terms<L>; result: Labels<R> }
      : undefined;
interface Equation {
  terms: readonly (readonly string[])[];
  result: readonly string[];
}

/** The size of a label in one tensor; `never` if the tensor has no such axis, -1 if its rank is unknown. */
type SizeIn<T extends readonly string[], S extends Dims, L> = number extends S["length"]
  ? L extends T[number]
    ? -1
    : never
  : { [I in keyof T]: T[I] extends L ? (I extends keyof S ? S[I] : -1) : never }[number];

/** The size of a label across all tensors; -1 if two of them contradict each other. */
type SizeOf<L, Ts extends readonly (readonly string[])[], Os, Found = never> = Ts extends readonly [
  infer T extends readonly string[],
  ...infer R extends readonly (readonly string[])[],
]
  ? Os extends readonly [infer O extends AnyTensor, ...infer OR]
    ? SizeOf<L, R, OR, Meet<Found, SizeIn<T, O["dims"], L>>>
    : -1
  : Found extends Dim
    ? Found
    : -1;
type Meet<A, B> = [A] extends [never] ? B : [B] extends [never] ? A : BroadcastDim<A, B>;

type ResultDims<P, Os> = P extends Equation ? Known<SizesOf<P["result"], P["terms"], Os>> : Dims;
type SizesOf<R extends readonly string[], Ts extends readonly (readonly string[])[], Os> = {
  -readonly [I in keyof R]: SizeOf<R[I], Ts, Os>;
};

type EquationOf<E extends string, Os extends readonly AnyTensor[], P = Parsed<E>> = P extends Equation
  ? P["terms"]["length"] extends Os["length"]
    ? [Exclude<P["result"][number], P["terms"][number][number]>] extends [never]
      ? E
      : `✗ "${E}" has the label ${Exclude<P["result"][number], P["terms"][number][number]>} in its result, but in no tensor`
    : number extends Os["length"]
      ? E
      : `✗ "${E}" names ${P["terms"]["length"]} tensors, got ${Os["length"]}`
  : E;

/** The first label whose size differs from its size in the first tensor. */
type Differs<T extends readonly string[], S extends Dims, First extends readonly string[], F extends Dims> = {
  [I in keyof T]: [Meet<SizeIn<First, F, T[I]>, SizeIn<T, S, T[I]>>] extends [never] ? T[I] : never;
}[number];

type OperandOf<O extends AnyTensor, F extends AnyTensor, P, I> = [O["dtype"]] extends [F["dtype"]]
  ? O["dtype"] extends NumericDType
    ? P extends Equation
      ? I extends keyof P["terms"]
        ? Fits<O, F, P["terms"][I], P["terms"][0]>
        : O
      : O
    : `✗ ${Show<O["dtype"], O["dims"]>} does not contain numbers`
  : `✗ ${Show<F["dtype"], F["dims"]>} and ${Show<O["dtype"], O["dims"]>} have different dtypes: ONNX never promotes, so cast one of them`;
type Fits<O extends AnyTensor, F extends AnyTensor, T, First> = T extends readonly string[]
  ? number extends O["dims"]["length"]
    ? O
    : O["dims"]["length"] extends T["length"]
      ? First extends readonly string[]
        ? Differs<T, O["dims"], First, F["dims"]> extends infer L
          ? [L] extends [never]
            ? O
            : `✗ the label ${L & string} is ${SizeIn<First, F["dims"], L> & Dim} in ${Show<F["dtype"], F["dims"]>} and ${SizeIn<T, O["dims"], L> & Dim} in ${Show<O["dtype"], O["dims"]>}`
          : O
        : O
      : `✗ ${Show<O["dtype"], O["dims"]>} has ${O["dims"]["length"]} axes, \`${Joined<T>}\` names ${T["length"]}`
  : O;
type Joined<T extends readonly string[]> = T extends readonly [
  infer L extends string,
  ...infer R extends readonly string[],
]
  ? `${L}${Joined<R>}`
  : "";

/**
 * Products of elements, summed over every label that the result lacks: `einsum("bqd,bkd->bqk", query, key)`. One letter per axis, as in
 * NumPy, with `...` for leading axes; without `->` the result has the labels that occur once. Rows stay independent: the batch's label
 * comes first in the result. ONNX Einsum.
 */
export const einsum = <const E extends string, const T extends readonly [AnyTensor, ...AnyTensor[]]>(
  equation: E extends EquationOf<E, T> ? E : EquationOf<E, T>,
  ...tensors: { [I in keyof T]: OperandOf<T[I], T[0], Parsed<E>, I> }
): Tensor<T[0]["dtype"], ResultDims<Parsed<E>, T>> =>
  only(recordOperator("einsum", tensors, { equation }, callSite(einsum))) as never;
