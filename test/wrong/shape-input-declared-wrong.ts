import { bytes, defineEnsemble, fp32, onnx, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 32 });
const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch"), title: bytes("batch", 4) },
  run({ text, title }) {
    return { ...tokenize({ text }), ...double({ x: title as never }) };
  },
});
