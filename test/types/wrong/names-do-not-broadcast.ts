// Two names do not broadcast
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", "seq"), b: fp32("batch", "tokens") },
  run({ a, b }) {
    return { x: a.sub(b) };
  },
});
