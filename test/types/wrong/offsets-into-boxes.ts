// Offsets are pairs, not boxes
import { bytes, defineEnsemble, fp32, int64, onnx, tokenizer } from "tritype";

const tokenizeWithOffsets = tokenizer({ name: "tokenize", from: "assets", maxLength: 512, offsets: true });
const layout = onnx({
  name: "layout",
  file: "layout.onnx",
  inputs: { bbox: int64("batch", "tokens", 4) },
  outputs: { logits: fp32("batch", "tokens", 7) },
});

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => layout({ bbox: tokenizeWithOffsets({ text }).offsets }),
});
