// A run of a step that streams is awaited
import { bytes, defineEnsemble, python } from "tritype";

const speak = python({
  name: "speak",
  file: "speaker.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { word: bytes("batch", 1) },
  modelTransactionPolicy: { decoupled: true },
});
const words = defineEnsemble({
  name: "words",
  maxBatchSize: 1,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ word: speak({ text }).word }),
});

export const answer = async () => await words.run({ text: ["a"] });
