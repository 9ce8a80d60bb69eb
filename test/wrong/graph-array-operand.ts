// @ts-nocheck
import { defineEnsemble, fp32, uint8 } from "tritype";

/** Arrays along the last axis, along the channels, and of two axes. */
export const arrays = defineEnsemble({
  name: "arrays",
  maxBatchSize: 8,
  inputs: { image: fp32("batch", 3, 224, 224), pixel: uint8("batch", 3) },
  run({ image, pixel }) {
    return {
      normalized: image.sub([0.485, 0.456, 0.406]).div(0.226),
      shifted: pixel.add([1, 2, 3]),
      centered: pixel.sub([0.5, 0.5, 0.5]),
      mixed: image.matmul([
        [1, 2],
        [3, 4],
      ]),
    };
  },
});
