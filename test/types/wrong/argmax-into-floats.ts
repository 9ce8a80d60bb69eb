// Indices into an input of floats
import { defineEnsemble, fp32 } from "tritype";
import { classifier } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { x: fp32("batch", "seq", 768) },
  run({ x }) {
    return classifier({ features: x.argmax("seq") });
  },
});
