import { fp32, int64 } from "tritype";

/** The meanings of the logits, in order. */
const labels = ["negative", "positive"] as const;

/** The classifier of ../sentiment-tensorrt instead of RoBERTa's 500 MB: trained once, as TorchScript and as ONNX. */
export const classifier = {
  model: {
    file: "../sentiment-tensorrt/assets/model.pt",
    standIn: "../sentiment-tensorrt/assets/model.onnx",
    inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
    outputs: { logits: fp32("batch", labels.length) },
  },
  tokenizer: "../sentiment-tensorrt/assets/tokenizer",
  labels,
} as const;
