// @ts-nocheck
import { bytes, defineEnsemble, step } from "tritype";

const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => {
    const found: number | boolean = text === "" ? false : text.length;
    return { text: found === 1 ? "one" : "other" };
  },
});

export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ tidy: clean({ text }).text }),
});
