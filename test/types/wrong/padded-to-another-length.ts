// Padded to a length other than the model's
import { bytes, defineEnsemble, fp32, int64, onnx, tokenizer } from "tritype";

const tokenizeTo128 = tokenizer({ name: "tokenize", from: "assets", maxLength: 128, padding: "maxLength" });
const fixed = onnx({
  name: "fixed",
  file: "fixed.onnx",
  inputs: { input_ids: int64("batch", 256) },
  outputs: { logits: fp32("batch", 2) },
});

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => fixed({ input_ids: tokenizeTo128({ text }).input_ids }),
});
