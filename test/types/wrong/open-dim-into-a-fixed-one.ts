// Open dims into fixed ones
import { defineEnsemble, fp32 } from "tritype";
import { resnet } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { image: fp32("batch", 3, "height", "width") },
  run({ image }) {
    return resnet({ image });
  },
});
