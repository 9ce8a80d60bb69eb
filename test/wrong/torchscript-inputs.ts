// @ts-nocheck
import { defineEnsemble, fp32, int64, torchscript } from "tritype";

const classify = torchscript({
  name: "classify",
  file: "models/classify.pt",
  inputs: { input_ids: int64("batch", "seq") },
  outputs: { logits: fp32("batch", 2) },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { input_ids: int64("batch", "seq") },
  run: ({ input_ids }) => classify({ input_ids }),
});
