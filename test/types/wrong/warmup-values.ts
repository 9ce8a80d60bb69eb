// warmup of the wrong type
import { bytes, defineEnsemble } from "tritype";
import { tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return { ids: tokenize({ text }).input_ids };
  },
  warmup: [{ inputs: { text: ["a short text", 2] } }],
});
