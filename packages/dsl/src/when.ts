import type { Dim, Dims, DType } from "@tritype/core";
import type { AnyTensor } from "./any-tensor.ts";
import { callSite } from "./call-site.ts";
import type { Broadcast, BroadcastDim } from "./dims.ts";
import type { Known } from "./elementwise.ts";
import { isHandle, needTensor, only, recordOperator } from "./handle.ts";
import type { Bool } from "./receivers.ts";
import type { Show } from "./show.ts";
import type { Tensor } from "./tensor.ts";
import { recordBranch } from "./trace.ts";
import type { AnyHandles } from "./wires.ts";

type Side = AnyTensor | AnyHandles;
type Given<F> = F extends () => infer R ? R : F;

/** A condition that decides once per request, or once per row. */
type Deciding<C extends AnyTensor> = C["dims"] extends readonly [Dim, ...infer R extends Dims]
  ? [R[number]] extends [1 | -1]
    ? Bool<C>
    : `✗ ${Show<C["dtype"], C["dims"]>} decides for each element: use where(), or one BOOL for each row`
  : Bool<C>;

/** The dims of the values, with the rows of the condition; `false` if they do not match. */
type WithRows<C extends Dims, S> = C extends readonly [infer N extends Dim, ...Dims]
  ? N extends 1
    ? S
    : S extends readonly [infer F, ...infer R extends Dims]
      ? [BroadcastDim<F, N>] extends [never]
        ? false
        : [BroadcastDim<F, N>, ...R]
      : S extends readonly []
        ? [N]
        : S
  : S;
type ChosenDims<C extends Dims, A extends AnyTensor, B extends AnyTensor> = WithRows<
  C,
  Broadcast<A["dims"], B["dims"]>
>;

/** `B` if it can replace `A`, otherwise the error message. */
type Matching<C extends AnyTensor, A extends AnyTensor, B extends AnyTensor> = [B["dtype"]] extends [
  A["dtype"],
]
  ? Broadcast<A["dims"], B["dims"]> extends false
    ? `✗ ${Show<A["dtype"], A["dims"]>} and ${Show<B["dtype"], B["dims"]>} do not broadcast`
    : ChosenDims<C["dims"], A, B> extends false
      ? `✗ ${Show<C["dtype"], C["dims"]>} and ${Show<B["dtype"], Known<Broadcast<A["dims"], B["dims"]>>>} do not broadcast`
      : B
  : DType extends B["dtype"]
    ? B
    : `✗ ${Show<A["dtype"], A["dims"]>} and ${Show<B["dtype"], B["dims"]>} have different dtypes: ONNX never promotes, so cast one of them`;
type Other<C extends AnyTensor, A, B> = A extends AnyTensor
  ? B extends AnyTensor
    ? Matching<C, A, B>
    : "✗ the other branch is a single tensor"
  : {
      readonly [K in keyof A | keyof B]: K extends keyof A
        ? K extends keyof B
          ? A[K] extends AnyTensor
            ? B[K] extends AnyTensor
              ? Matching<C, A[K], B[K]>
              : AnyTensor
            : AnyTensor
          : A[K]
        : `✗ the other side has no \`${K & string}\``;
    };
/** `G` if it can be the other branch, otherwise the error message at the tensor. */
type Fitting<C extends AnyTensor, A, G> = G extends () => infer B ? () => Other<C, A, B> : Other<C, A, G>;

type ChosenOf<C extends AnyTensor, A, B> = A extends AnyTensor
  ? B extends AnyTensor
    ? Tensor<A["dtype"], Known<ChosenDims<C["dims"], A, B>>>
    : never
  : {
      readonly [K in keyof A & keyof B]: A[K] extends AnyTensor
        ? B[K] extends AnyTensor
          ? Tensor<A[K]["dtype"], Known<ChosenDims<C["dims"], A[K], B[K]>>>
          : never
        : never;
    };

/**
 * Returns one branch of the choice as a whole: a tensor, an object of tensors, or the result of a function that computes one of these.
 * `condition` is BOOL: one value for each row (`[batch]`, `[batch, 1]`), or one for the request, so that only the chosen branch is
 * computed.
 */
export const when = <C extends AnyTensor, F extends Side | (() => Side), G extends Side | (() => Side)>(
  condition: C extends Deciding<C> ? C : Deciding<C>,
  whenTrue: F,
  whenFalse: G extends Fitting<C, Given<F>, G> ? G : Fitting<C, Given<F>, G>,
): ChosenOf<C, Given<F>, Given<G>> => {
  const site = callSite(when);
  const sides = [whenTrue, whenFalse].map((side: unknown) =>
    typeof side === "function" ? recordBranch(site, side as () => unknown) : side,
  );
  const isOne = sides.some((side) => isHandle(side) || !isRecord(side));
  const names = isOne ? ["out"] : [...new Set(sides.flatMap(Object.keys as (side: unknown) => string[]))];
  const values = sides.flatMap((side, i) =>
    names.map((name) => {
      const value = isOne ? side : (side as Readonly<Record<string, unknown>>)[name];
      needTensor("when", isOne ? (parameters[i] ?? "") : name, value);
      return value;
    }),
  );
  const outputs = recordOperator("when", [condition, ...values], isOne ? {} : { names }, site);
  return (isOne ? only(outputs) : outputs) as never;
};

const parameters = ["whenTrue", "whenFalse"];
const isRecord = (side: unknown): boolean =>
  typeof side === "object" && side !== null && !(side instanceof Promise);
