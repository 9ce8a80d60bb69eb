// @ts-nocheck
import { defineEnsemble, fp32, onnx, uint8 } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

/** The advice for an input of the ensemble must not contradict the first line, with the same dims and with others. */
export const image = defineEnsemble({
  name: "image",
  maxBatchSize: 8,
  inputs: { pixels: uint8("batch", 4), square: uint8("batch", 2, 2) },
  run({ pixels, square }) {
    return { pixels: double({ x: pixels }).y, square: double({ x: square }).y };
  },
});
