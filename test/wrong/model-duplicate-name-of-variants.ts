// @ts-nocheck
import { bytes, defineEnsemble, tokenizer } from "tritype";

const shared = { name: "tokenize", from: "assets/tokenizer", maxLength: 32 };
const query = tokenizer({ ...shared, prefix: "query: " });
const passage = tokenizer({ ...shared, prefix: "passage: ", maxLength: 512 });

export const embedQuery = defineEnsemble({
  name: "embed_query",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => query({ text }),
});
export const embedPassage = defineEnsemble({
  name: "embed_passage",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => passage({ text }),
});
