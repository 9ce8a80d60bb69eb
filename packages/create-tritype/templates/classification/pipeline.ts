import { bytes, defineEnsemble, lookup, meanPool, onnx, tokenizer } from "tritype";
import { classifier as model } from "./models/classifier.ts";
import { topics } from "./models/topics.ts";

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 256,
  // Requests run in the same batch if their lengths are equal.
  padding: { multipleOf: 16 },
});

const classifier = onnx({
  name: "classifier",
  ...model,
});

/** A customer support message → its topic, its confidence, and the probability of every topic. */
export const classify = defineEnsemble({
  name: "classify",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { scores } = classifier({ input_ids, attention_mask });
    const probabilities = meanPool(scores, attention_mask).softmax(-1);
    return {
      label: lookup(probabilities.argmax(-1, { keepDims: true }), topics),
      confidence: probabilities.max(-1, { keepDims: true }),
      probabilities,
    };
  },
  warmup: [
    { name: "short", inputs: { text: ["where is my parcel?"] } },
    {
      name: "typical",
      inputs: { text: ["I ordered two lamps last week and one of them came with a broken switch"] },
      batchSize: 8,
      profile: "opt",
    },
  ],
});
