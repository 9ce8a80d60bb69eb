// @ts-nocheck
import { bytes, defineEnsemble, fp32, int64, onnx, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 32 });

/** The mean of the ids: it counts padding, and nobody can see that from outside. */
const spread = onnx({
  name: "spread",
  file: "models/mean-id.onnx",
  inputs: { input_ids: int64("batch", "seq") },
  outputs: { mean: fp32("batch", 1) },
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  batchBy: "length",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids } = tokenize({ text });
    return { mean: spread({ input_ids }).mean };
  },
  warmup: [
    { name: "short", inputs: { text: ["a text"] } },
    { name: "long", inputs: { text: ["a text that goes on and on"] } },
  ],
});
