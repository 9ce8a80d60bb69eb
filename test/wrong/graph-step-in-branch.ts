// @ts-nocheck
import { bool, defineEnsemble, fp32, onnx, when } from "tritype";

const x = fp32("batch", 4);
const double = onnx({ name: "double", file: "models/double.onnx", inputs: { x }, outputs: { y: x } });
const twice = (x) => double({ x: double({ x }).y }).y;

export const branches = defineEnsemble({
  name: "branches",
  maxBatchSize: 8,
  inputs: { x, sure: bool("batch", 1) },
  run({ x, sure }) {
    const outside = double({ x }).y;
    const chosen = when(sure, outside, () => x);
    const nested = when(
      sure,
      () => x,
      () => when(sure, chosen, () => twice(x)),
    );
    return { chosen, nested };
  },
});
