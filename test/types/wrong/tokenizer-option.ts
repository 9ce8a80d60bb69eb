// Misspelt option of the tokenizer
import { tokenizer } from "tritype";

export const wrong = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 512,
  tokenTypeId: true,
});
