import { bytes, defineEnsemble, lookup, tokenizer, torchscript } from "tritype";
import { classifier } from "./models/stand-in.ts";

const tokenize = tokenizer({
  name: "tokenize",
  from: classifier.tokenizer,
  maxLength: 128,
  // Requests run in the same batch if their lengths are equal.
  padding: { multipleOf: 16 },
});

const classify = torchscript({
  name: "classify",
  ...classifier.model,
  profiles: {
    cpu: { useStandIn: true },
  },
});

/** Text → its label and its score, from 0 to 1. */
export const sentiment = defineEnsemble({
  name: "sentiment",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { logits } = classify(tokenize({ text }));
    const scores = logits.softmax(-1);
    return {
      label: lookup(scores.argmax(-1, { keepDims: true }), classifier.labels),
      score: scores.max(-1, { keepDims: true }),
    };
  },
  members: { dynamicBatching: {} },
  warmup: [
    { name: "short", inputs: { text: ["I love you"] }, batchSize: 8 },
    { name: "long", inputs: { text: ["a review that goes on and on ".repeat(30)] } },
  ],
});
