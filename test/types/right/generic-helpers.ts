import {
  bytes,
  type Dim,
  type Dims,
  defineEnsemble,
  einsum,
  l2Normalize,
  type Tensor,
  type TensorType,
} from "tritype";
import type { AllTrue, Equal } from "../equal.ts";
import { encoder, tokenize } from "../steps.ts";

const pool = <B extends Dim, H extends Dim>(hidden: Tensor<"FP32", [B, "seq", H]>): Tensor<"FP32", [B, H]> =>
  hidden.mean(1);

const normalizedPool = <B extends Dim, H extends Dim>(
  hidden: Tensor<"FP32", [B, "seq", H]>,
): Tensor<"FP32", [B, H]> => l2Normalize(pool(hidden));

const swap = <A extends Dim, B extends Dim>(x: Tensor<"FP32", [A, B]>): Tensor<"FP32", [B, A]> =>
  x.transpose(1, 0);

const column = <A extends Dim>(x: Tensor<"FP32", [A]>): Tensor<"FP32", [A, 1]> => x.unsqueeze(-1);

/** Of any rank: the shape stays the same. */
const squash = <S extends Dims>(x: Tensor<"FP32", S>): Tensor<"FP32", S> => x.tanh().mul(0.5).add(0.5);

/** Unknown shapes are accepted unchanged. */
const anyShape = (x: Tensor<"FP32">): Tensor<"FP32"> => x.unsqueeze(0).transpose(2, 1, 0).mean(-1);

/** Labels of tensors of unknown rank are accepted unchanged too. */
const anyProduct = (x: Tensor<"FP32">, y: Tensor<"FP32">): Tensor<"FP32"> =>
  einsum("bi,ij->bj", x, y).layerNorm(-1).split(0, 2)[0].pad(0, 1, 1).tile(-1, 2);

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { hidden } = encoder(tokenize({ text }));
    const pooled = normalizedPool(hidden);
    return {
      pooled,
      swapped: swap(swap(pooled)),
      column: column(pooled.sum(-1)),
      squashed: squash(pooled),
      any: anyShape(hidden),
      anyProduct: anyProduct(hidden, pooled),
    };
  },
});

type Made = (typeof embed)["outputs"];
export type Checks = AllTrue<
  [
    Equal<Made["pooled"], TensorType<"FP32", ["batch", 384]>>,
    Equal<Made["swapped"], TensorType<"FP32", ["batch", 384]>>,
    Equal<Made["column"], TensorType<"FP32", ["batch", 1]>>,
    Equal<Made["squashed"], TensorType<"FP32", ["batch", 384]>>,
    Equal<Made["any"], TensorType<"FP32">>,
    Equal<Made["anyProduct"], TensorType<"FP32">>,
  ]
>;
