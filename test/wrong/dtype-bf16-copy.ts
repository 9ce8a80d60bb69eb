// @ts-nocheck
import { bf16, defineEnsemble } from "tritype";

export const e = defineEnsemble({
  name: "e",
  maxBatchSize: 2,
  inputs: { x: bf16("batch", 2) },
  run: ({ x }) => ({ y: x }),
});
