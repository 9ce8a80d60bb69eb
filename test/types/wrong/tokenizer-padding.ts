// Padding that does not exist
import { tokenizer } from "tritype";

export const wrong = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 512,
  padding: "max",
});
