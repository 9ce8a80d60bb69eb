// Text into a model
import { bytes, defineEnsemble } from "tritype";
import { classifier } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 768) },
  run({ text }) {
    return classifier({ features: text });
  },
});
