// @ts-nocheck
import { bytes, defineEnsemble, fp32, int64 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), t: bytes("batch", 1) },
  run({ x, t }) {
    return {
      y: x.labelEncode(bytes, { keys: [1], values: ["a"], otherwise: "" }),
      z: t.labelEncode(int64, { keys: ["a", "b"], values: [1], otherwise: 0 }),
    };
  },
});
