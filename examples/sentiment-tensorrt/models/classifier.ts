import { fp32, int64 } from "tritype";

/** Negative or positive: trained by scripts/train.py, see assets/MODEL_CARD.md. */
export const classifier = {
  onnx: "assets/model.onnx",
  tokenizer: "assets/tokenizer",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { logits: fp32("batch", 2) },
} as const;
