// one folder and several versions of a tokenizer
import { tokenizer } from "tritype";

export const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/v1",
  versions: { 1: { from: "assets/v1" } },
  maxLength: 16,
});
