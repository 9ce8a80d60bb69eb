import { fp16, fp32, int64, onnx, tokenizer } from "tritype";

export const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 512 });

export const encoder = onnx({
  name: "encoder",
  file: "encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { hidden: fp32("batch", "seq", 384) },
});

export const classifier = onnx({
  name: "classifier",
  file: "classifier.onnx",
  inputs: { features: fp32("batch", 768) },
  outputs: { logits: fp32("batch", 2) },
});

export const half = onnx({
  name: "half",
  file: "half.onnx",
  inputs: { features: fp16("batch", 384) },
  outputs: { logits: fp32("batch", 2) },
});

export const resnet = onnx({
  name: "resnet",
  file: "resnet.onnx",
  inputs: { image: fp32("batch", 3, 224, 224) },
  outputs: { logits: fp32("batch", 1000) },
});
