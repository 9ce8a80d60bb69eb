import { bytes, defineEnsemble, l2Normalize, meanPool, tokenizer } from "tritype";
import { encoder } from "./pipeline.ts";

const tokenizing = {
  from: "assets/tokenizer",
  maxLength: 256,
  padding: { multipleOf: 16 },
  tokenTypeIds: true,
} as const;

/** e5 and related models were trained with a word in front of each text that says which kind of text it is. */
const tokenizeQuery = tokenizer({ ...tokenizing, name: "tokenize_query", prefix: "query: " });
const tokenizePassage = tokenizer({ ...tokenizing, name: "tokenize_passage", prefix: "passage: " });

/** Tokens → one vector of length 1. Both sides share it: the encoder and the pooling are emitted only once. */
export const vector = defineEnsemble({
  name: "vector",
  maxBatchSize: 64,
  inputs: encoder.inputs,
  run(tokens) {
    const { last_hidden_state } = encoder(tokens);
    return { embedding: l2Normalize(meanPool(last_hidden_state, tokens.attention_mask)) };
  },
});

/** Search query → its vector. The larger its dot product with a passage's vector, the better the passage fits. */
export const embedQuery = defineEnsemble({
  name: "embed_query",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => vector(tokenizeQuery({ text })),
  warmup: [{ name: "query", inputs: { text: ["what people write into a search"] }, batchSize: 8 }],
});

/** Searched passage → its vector. */
export const embedPassage = defineEnsemble({
  name: "embed_passage",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => vector(tokenizePassage({ text })),
  warmup: [
    { name: "passage", inputs: { text: ["a passage that goes on and on ".repeat(50)] }, batchSize: 16 },
  ],
});
