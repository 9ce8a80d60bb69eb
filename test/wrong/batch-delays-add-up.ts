// Terms of pipelines in advice about a configuration
import { defineEnsemble, fp32, onnx } from "tritype";

const tensors = { inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } };
const double = onnx({
  name: "double",
  file: "models/double.onnx",
  ...tensors,
  dynamicBatching: { maxQueueDelay: "2ms" },
});
const scale = onnx({
  name: "scale",
  file: "models/scale.onnx",
  ...tensors,
  dynamicBatching: { maxQueueDelay: "500us" },
});

export const both = defineEnsemble({
  name: "both",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => scale({ x: double({ x }).y }),
});
