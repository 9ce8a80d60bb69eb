import { fp32, int64 } from "tritype";

// Written by `pipeline types`. Do not edit.
/** assets/encoder/model.onnx · opset 17 · sha256 b9b6…f78b */
export const encoder = {
  file: "assets/encoder/model.onnx",
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
  },
  outputs: {
    last_hidden_state: fp32("batch", "seq", 64),
  },
} as const;
