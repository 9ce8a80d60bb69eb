// A client requests a single answer from an ensemble that streams
import { bytes, defineEnsemble, python } from "tritype";
import { createClient } from "tritype/client";

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
const client = createClient<typeof words>({ url: "http://127.0.0.1:8000", ensemble: "words" });

export const answer = client.infer({ text: ["a"] });
