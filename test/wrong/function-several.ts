// @ts-nocheck
import { bytes, defineEnsemble, fp32, step } from "tritype";

let count = 0;
const stamp = (text: string): string => `${text} ${Date.now()} ${count}`;

const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1), x: fp32("batch", 1) },
  outputs: { text: bytes("batch", 1), y: fp32("batch", 1) },
  run: async ({ text, x }) => {
    console.log(text);
    const words = text.split(" ").sort((a, b) => a.localeCompare(b));
    return { text: stamp(words.join(" ")), y: x ** 0.5 + Math.random() };
  },
});

export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), x: fp32("batch", 1) },
  run: ({ text, x }) => {
    const { text: tidied, y } = clean({ text, x });
    return { tidied, y };
  },
});
