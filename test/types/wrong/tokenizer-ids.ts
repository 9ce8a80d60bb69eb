// ids of floats
import { fp32, tokenizer } from "tritype";

export const wrong = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 512,
  ids: fp32,
});
