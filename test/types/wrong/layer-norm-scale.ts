// Scale with another size
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", "seq", 384), scale: fp32(768) },
  run({ a, scale }) {
    return { x: a.layerNorm(-1, { scale }) };
  },
});
