import { fp32, int64 } from "tritype";

/** The static encoder of ../sentence-embedding instead of BioLinkBERT's 1.3 GB: same inputs, 128 numbers for each token. */
export const encoder = {
  file: "../sentence-embedding/assets/static/model.onnx",
  tokenizer: "../sentence-embedding/assets/tokenizer",
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
    token_type_ids: int64("batch", "seq"),
  },
  outputs: { last_hidden_state: fp32("batch", "seq", 128) },
} as const;
