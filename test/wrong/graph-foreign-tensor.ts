// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

let leaked;
export const first = defineEnsemble({
  name: "first",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    leaked = x.add(1);
    return { y: leaked };
  },
});
export const second = defineEnsemble({
  name: "second",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    return { y: x.add(leaked) };
  },
});
