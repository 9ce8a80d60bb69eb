// @ts-nocheck
import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  maxBatchSize: 16,
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
/** Fits. */
export const small = defineEnsemble({
  name: "small",
  maxBatchSize: 16,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double({ x }),
});
/** Does not fit the step that both share. */
export const large = defineEnsemble({
  name: "large",
  maxBatchSize: 64,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double({ x }),
});
