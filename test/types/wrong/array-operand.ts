// An array instead of a constant
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { image: fp32("batch", 224, 224, 3) },
  run({ image }) {
    return { x: image.sub([0.485, 0.456, 0.406]) };
  },
});
