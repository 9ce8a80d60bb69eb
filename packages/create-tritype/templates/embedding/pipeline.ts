import { bytes, defineEnsemble, l2Normalize, meanPool, onnx, tokenizer } from "tritype";
import { encoder as model } from "./models/encoder.ts";

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 256,
  // Requests run in the same batch if their lengths are equal.
  padding: { multipleOf: 16 },
});

const encoder = onnx({
  name: "encoder",
  ...model,
});

/** Text → one vector of length 1 per text. The closer two texts are in meaning, the larger the dot product of their vectors. */
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { embedding: l2Normalize(meanPool(last_hidden_state, attention_mask)) };
  },
  warmup: [
    { name: "short", inputs: { text: ["a cat"] } },
    {
      name: "typical",
      inputs: { text: ["a sentence as long as those that people will send"] },
      batchSize: 8,
      profile: "opt",
    },
  ],
});
