import { fp32, int64 } from "tritype";

/** assets/static/model.onnx · opset 17 · sha256 f031…4e20 · made by scripts/distill.mjs */
export const encoder = {
  file: "assets/static/model.onnx",
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
    token_type_ids: int64("batch", "seq"),
  },
  outputs: { last_hidden_state: fp32("batch", "seq", 128) },
} as const;
