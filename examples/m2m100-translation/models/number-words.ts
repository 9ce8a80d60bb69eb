/** A small M2M100 that translates number words between English, French, German and Spanish. */
export const model = {
  /** Folder with `tokenizer.json`. */
  tokenizer: "models/fp32",
  /** Maximum number of tokens of a text, including the language token and the end token. */
  maxLength: 64,
  fp32: { from: "models/fp32" },
  int8: {
    from: "models/int8",
    encoder: "models/int8/encoder_model_quantized.onnx",
    decoder: "models/int8/decoder_model_merged_quantized.onnx",
  },
} as const;
