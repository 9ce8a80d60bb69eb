// A step is given all outputs of another, which are one too many
import { bytes, defineEnsemble, tokenizer } from "tritype";
import { encoder } from "../steps.ts";

const tokenizeWithTypes = tokenizer({ name: "tokenize", from: "assets", maxLength: 512, tokenTypeIds: true });

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => encoder(tokenizeWithTypes({ text })),
});
