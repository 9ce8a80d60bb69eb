// Labels of floats
import { bytes, defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch") },
  run({ a }) {
    return { x: a.labelEncode(bytes, { keys: [1], values: ["a"], otherwise: "" }) };
  },
});
