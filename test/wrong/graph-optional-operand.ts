// @ts-nocheck
import { defineEnsemble, fp32, optional } from "tritype";

/** Tensor math needs every tensor. */
export const scale = defineEnsemble({
  name: "scale",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), by: optional(fp32("batch", 4)) },
  run: ({ x, by }) => ({ y: x.mul(by), given: by }),
});
