// @ts-nocheck
import { defineEnsemble, fp32, python } from "tritype";

const sizes: { readonly width?: number } = {};

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", sizes.width), y: fp32("batch", sizes.width * 2), z: fp32("batch", 1.5) },
  run: ({ x, y, z }) => ({ sum: x.add(y).add(z) }),
});

const double = python({
  name: "double",
  file: "steps/double.py",
  inputs: { a: fp32("batch", 4) },
  outputs: { b: fp32("batch", sizes.width) },
});
export const outputs = defineEnsemble({
  name: "outputs",
  maxBatchSize: 8,
  inputs: { a: fp32("batch", 4) },
  run: ({ a }) => ({ b: double({ a }).b }),
});
