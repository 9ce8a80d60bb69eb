import type { Dim, Dims, DType, OptionalTensorType, Signature, TensorType } from "@tritype/core";
import type { DimFits } from "./dims.ts";
import type { Show } from "./show.ts";
import type { AnyTensor } from "./any-tensor.ts";
import type { Tensor } from "./tensor.ts";

/** A pair `[name, size]` for every name in `Want`. */
type Pairs<Want extends Dims, Got extends Dims> = {
  [P in keyof Want]: Want[P] extends string ? (P extends keyof Got ? [Want[P], Got[P]] : never) : never;
}[number];
type AllPairs<Inputs extends Signature, W> = {
  [K in keyof Inputs & keyof W]: W[K] extends AnyTensor ? Pairs<Inputs[K]["dims"], W[K]["dims"]> : never;
}[keyof Inputs & keyof W];
/** The sizes of a signature's names in one call: name → size (a union if the inputs disagree). */
export type Bindings<Inputs extends Signature, W> = { [P in AllPairs<Inputs, W> as P[0]]: P[1] };

/** The size of a signature's dim in one call. A dim name that is not bound by an input stays unchanged. */
type Resolve<X, B> = X extends keyof B ? ([B[X]] extends [-1] ? -1 : Exclude<B[X], -1>) : X;
export type Substitute<S extends Dims, B> = { [I in keyof S]: Resolve<S[I], B> & Dim };

/** `never` if the dim matches, otherwise the reason. */
type DimMisfit<Want, Got, B> = Want extends string
  ? [Exclude<B[Want & keyof B], -1>] extends [Got]
    ? never
    : Got extends -1
      ? never
      : `\`${Want}\` is ${Got & Dim} here and ${Exclude<B[Want & keyof B], Got | -1> & Dim} at another input`
  : DimFits<Got, Want> extends true
    ? never
    : 0;
type Misfit<Want extends Dims, Got extends Dims, B> = {
  [P in keyof Want]: P extends keyof Got ? DimMisfit<Want[P], Got[P], B> : never;
}[number];

type FirstMisfit<Got extends Dims, Want extends Dims, I extends 0[] = []> = Got extends readonly [
  infer G extends Dim,
  ...infer GR extends Dims,
]
  ? Want extends readonly [infer W extends Dim, ...infer WR extends Dims]
    ? DimFits<G, W> extends true
      ? FirstMisfit<GR, WR, [...I, 0]>
      : `dimension ${I["length"]} is ${G}, not ${W}`
    : ""
  : "";
/** Why the shape does not match; "" if it may. */
type ShapeMisfit<GS extends Dims, WS extends Dims> = number extends GS["length"] | WS["length"]
  ? ""
  : GS["length"] extends WS["length"]
    ? FirstMisfit<GS, WS>
    : `rank ${GS["length"]}, not ${WS["length"]}`;
type Also<Why extends string> = Why extends "" ? "" : `; also, ${Why}`;
/** How to convert a tensor to another dtype. `cast` does not make text. */
type Conversion<GD extends DType, WD extends DType> = [WD] extends ["BYTES"]
  ? "convert it to text in a step()"
  : [GD] extends ["BYTES"]
    ? "convert the text in a tokenizer() or a step()"
    : `cast it with .cast(${Lowercase<WD>})`;
type Explain<GD extends DType, GS extends Dims, WD extends DType, WS extends Dims, M> = [GD] extends [WD]
  ? 0 extends M
    ? `✗ wants ${Show<WD, WS>}, got ${Show<GD, GS>}: ${ShapeMisfit<GS, WS>}`
    : `✗ ${M & string}`
  : `✗ wants ${Show<WD, WS>}, got ${Show<GD, GS>}: ${Conversion<GD, WD>}${Also<ShapeMisfit<GS, WS>>}`;

/** `Got` itself if it can be wired to an input of type `Want`, otherwise the error message. */
export type Wire<Want extends TensorType, Got extends AnyTensor, B> = [Got["dtype"]] extends [Want["dtype"]]
  ? number extends Got["dims"]["length"] | Want["dims"]["length"]
    ? Got
    : Got["dims"]["length"] extends Want["dims"]["length"]
      ? Misfit<Want["dims"], Got["dims"], B> extends infer M
        ? [M] extends [never]
          ? Got
          : Explain<Got["dtype"], Got["dims"], Want["dtype"], Want["dims"], M>
        : never
      : Explain<Got["dtype"], Got["dims"], Want["dtype"], Want["dims"], 0>
  : // A handle of unknown type comes from a mistake that is reported elsewhere.
    DType extends Got["dtype"]
    ? Got
    : Explain<Got["dtype"], Got["dims"], Want["dtype"], Want["dims"], 0>;

type RequiredNames<I extends Signature> = {
  [K in keyof I]: I[K] extends OptionalTensorType ? never : K;
}[keyof I];
/** Exactly the declared tensors: no names to bind and no errors to explain. */
export type Plain<I extends Signature> = { readonly [K in keyof I]: Tensor<I[K]["dtype"], I[K]["dims"]> };
/** The wires that a call needs, checked against those that were passed. */
export type Wires<Inputs extends Signature, W, B = Bindings<Inputs, W>> = {
  readonly [K in RequiredNames<Inputs> | keyof W]: K extends keyof Inputs
    ? K extends keyof W
      ? W[K] extends AnyTensor
        ? Wire<Inputs[K], W[K], B>
        : Tensor<Inputs[K]["dtype"], Inputs[K]["dims"]>
      : Tensor<Inputs[K]["dtype"], Inputs[K]["dims"]>
    : `✗ has no input \`${K & string}\``;
};
/** Like `Wires`, but without a type name, so that an error shows the required tensors and not how they are computed. */
export type WantedWires<Inputs extends Signature, W> =
  Wires<Inputs, W> extends infer Wanted ? { readonly [K in keyof Wanted]: Wanted[K] } : never;
/** Handles as `run` may return them. */
export interface AnyHandles {
  readonly [name: string]: AnyTensor;
}
