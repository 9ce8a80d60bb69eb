// @ts-nocheck
import colors from "picocolors";
import { bytes, defineEnsemble, step } from "tritype";

const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ text: colors.red(text) }),
});

export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ tidy: clean({ text }).text }),
});
