// Bias with another dtype
import { defineEnsemble, fp16, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 384), bias: fp16(384) },
  run({ a, bias }) {
    return { x: a.layerNorm(-1, { bias }) };
  },
});
