import { fp32, int64 } from "tritype";

// Written by `pipeline types`. Do not edit.
/** assets/classifier/model.onnx · opset 17 · sha256 2a39…7ff0 */
export const classifier = {
  file: "assets/classifier/model.onnx",
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
  },
  outputs: {
    scores: fp32("batch", "seq", 4),
  },
} as const;
