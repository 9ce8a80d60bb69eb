// @ts-nocheck
import { defineEnsemble, fp32, int64, torchscript } from "tritype";

const classify = torchscript({
  name: "classify",
  file: "models/fixed-size.pt",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { logits: fp32("batch", 2), label: int64("batch", 1) },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  run: ({ input_ids, attention_mask }) => classify({ input_ids, attention_mask }),
});
