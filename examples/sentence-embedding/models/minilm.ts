import { fp32, int64 } from "tritype";

/** .cache/minilm/model.onnx · opset 17 · made by scripts/make-minilm.mjs, not in the repository (91 MB) */
export const encoder = {
  file: ".cache/minilm/model.onnx",
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
    token_type_ids: int64("batch", "seq"),
  },
  outputs: { last_hidden_state: fp32("batch", "seq", 384) },
} as const;
