// warmup of an input that does not exist
import { bytes, defineEnsemble } from "tritype";
import { tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return { ids: tokenize({ text }).input_ids };
  },
  warmup: [{ name: "short", inputs: { texts: ["a short text"] } }],
});
