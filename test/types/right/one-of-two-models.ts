import {
  bytes,
  defineEnsemble,
  fp32,
  int64,
  meanPool,
  onnx,
  type TensorType,
  type TensorValue,
  type InferOutputs,
} from "tritype";
import { embed as example } from "../../../examples/sentence-embedding/pipeline.ts";
import type { AllTrue, Equal } from "../equal.ts";
import { tokenize } from "../steps.ts";

const ids = { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") };
const small = { file: "small.onnx", inputs: ids, outputs: { hidden: fp32("batch", "seq", 128) } } as const;
const large = { file: "large.onnx", inputs: ids, outputs: { hidden: fp32("batch", "seq", 384) } } as const;

export const choose = (size: "small" | "large") =>
  defineEnsemble({
    name: "embed",
    maxBatchSize: 8,
    inputs: { text: bytes("batch", 1) },
    run({ text }) {
      const encoder = onnx({ name: "encoder", ...(size === "small" ? small : large) });
      const { input_ids, attention_mask } = tokenize({ text });
      return { embedding: meanPool(encoder({ input_ids, attention_mask }).hidden, attention_mask) };
    },
  });

export type Checks = AllTrue<
  [
    Equal<
      ReturnType<typeof choose>["outputs"]["embedding"],
      TensorType<"FP32", ["batch", 128] | ["batch", 384]>
    >,
    Equal<InferOutputs<typeof example>["embedding"], TensorValue<"FP32", ["batch", 128] | ["batch", 384]>>,
    Equal<
      InferOutputs<typeof example>["embedding"]["shape"],
      readonly [number, 128] | readonly [number, 384]
    >,
  ]
>;
