import { bytes, defineEnsemble, fp32, type InferInputs, int64, onnx, optional } from "tritype";
import type { AllTrue, Equal } from "../equal.ts";
import { encoder, tokenize } from "../steps.ts";

export const runFirst = defineEnsemble({
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    return { pooled: encoder({ attention_mask, input_ids }).hidden.max("seq") };
  },
  inputs: { text: bytes("batch", 1) },
  name: "run_first",
});

const scorer = onnx({
  outputs: { score: fp32("batch", 1) },
  inputs: { x: fp32("batch", 4), mask: optional(int64("batch", 4)) },
  dynamicBatching: { maxQueueDelay: "500us" },
  instanceGroup: [{ kind: "gpu", count: 2, gpus: [0] }, { count: 1 }],
  file: "scorer.onnx",
  name: "scorer",
});

export const withOptional = defineEnsemble({
  run: ({ x }) => ({ ...scorer({ x }), best: x.argmax(-1, { keepDims: true }) }),
  inputs: { x: fp32("batch", 4), mask: optional(int64("batch", 4)) },
  maxBatchSize: 8,
  name: "with_optional",
  members: { instanceGroup: [{ kind: "cpu" }], dynamicBatching: {} },
});

export const withoutMask: InferInputs<typeof withOptional> = { x: [[1, 2, 3, 4]] };
export const withMask: InferInputs<typeof withOptional> = { x: [[1, 2, 3, 4]], mask: [[1n, 0n, 1, 1]] };

export type Checks = AllTrue<
  [
    Equal<(typeof runFirst)["outputs"]["pooled"]["dims"], ["batch", 384]>,
    Equal<(typeof withOptional)["outputs"]["best"]["dtype"], "INT64">,
    Equal<keyof (typeof withOptional)["outputs"], "score" | "best">,
  ]
>;
