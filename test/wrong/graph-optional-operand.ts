// @ts-nocheck
import { defineEnsemble, fp32, optional, step } from "tritype";

/** Tensor math needs every tensor. */
export const scale = defineEnsemble({
  name: "scale",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), by: optional(fp32("batch", 4)) },
  run: ({ x, by }) => ({ y: x.mul(by), given: by }),
});

const half = step({
  name: "half",
  inputs: { x: fp32("batch", 4), by: optional(fp32("batch", 4)) },
  outputs: { y: fp32("batch", 4) },
  run: ({ x, by }) => ({ y: x.map((value, at) => value / (by === undefined ? 2 : by[at]!)) }),
});

/** A step gets `undefined` only where it declares that. */
export const halved = defineEnsemble({
  name: "halved",
  maxBatchSize: 8,
  inputs: { x: optional(fp32("batch", 4)), by: optional(fp32("batch", 4)) },
  run: ({ x, by }) => ({ y: half({ x, by }).y }),
});
