// @ts-nocheck
import { bytes, defineEnsemble, step } from "tritype";

const clean = step({
  name: "clean",
  inputs: { words: bytes("batch", 3) },
  outputs: { first: bytes("batch", 1) },
  run: ({ words }) => ({ first: [...words].sort((a, b) => a.localeCompare(b))[0] ?? "" }),
});

export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { words: bytes("batch", 3) },
  run: ({ words }) => ({ tidy: clean({ words }).first }),
});
