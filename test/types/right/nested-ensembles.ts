import { bytes, defineEnsemble, l2Normalize, meanPool, type TensorType } from "tritype";
import type { AllTrue, Equal } from "../equal.ts";
import { encoder, tokenize } from "../steps.ts";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 16,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { hidden } = encoder({ input_ids, attention_mask });
    return { embedding: l2Normalize(meanPool(hidden, attention_mask)), first: hidden.gather("seq", 0) };
  },
});

export const similarity = defineEnsemble({
  name: "similarity",
  maxBatchSize: 16,
  inputs: { left: bytes("batch", 1), right: bytes("batch", 1) },
  run({ left, right }) {
    const a = embed({ text: left }).embedding;
    const b = embed({ text: right }).embedding;
    return { cosine: a.mul(b).sum(-1).unsqueeze(-1) };
  },
});

export const nearest = defineEnsemble({
  name: "nearest",
  maxBatchSize: 16,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ ...similarity({ left: text, right: text }), ...embed({ text }) }),
});

export type Checks = AllTrue<
  [
    Equal<(typeof similarity)["outputs"], { readonly cosine: TensorType<"FP32", ["batch", 1]> }>,
    Equal<keyof (typeof nearest)["outputs"], "cosine" | "embedding" | "first">,
    Equal<(typeof nearest)["outputs"]["embedding"]["dims"], ["batch", 384]>,
  ]
>;
