import { bool, bytes, defineEnsemble, onnx } from "tritype";

const classify = onnx({
  name: "classify",
  file: "classify.onnx",
  inputs: { text: bytes("batch", 1) },
  outputs: { label: bytes("batch", 1), same: bool("batch") },
});

export const labels = defineEnsemble({
  name: "labels",
  maxBatchSize: 4,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => classify({ text }),
});
