// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

const sizes: { readonly width?: number } = {};

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", sizes.width), y: fp32("batch", sizes.width * 2), z: fp32("batch", 1.5) },
  run: ({ x, y, z }) => ({ sum: x.add(y).add(z) }),
});
