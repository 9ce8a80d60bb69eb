// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8n,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: x.add(1) }),
});
