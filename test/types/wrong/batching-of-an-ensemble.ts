// Batching set on the ensemble
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  dynamicBatching: { maxQueueDelay: "2ms" },
  run: ({ text }) => encoder(tokenize({ text })),
});
