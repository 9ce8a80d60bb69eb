// Settings with which Triton forms no batch ahead: of a step, of a profile, and of the members of an ensemble
import { defineEnsemble, fp32, onnx } from "tritype";

const tensors = { inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } };
const double = onnx({
  name: "double",
  file: "models/double.onnx",
  ...tensors,
  dynamicBatching: { defaultQueuePolicy: { maxQueueSize: 100, allowTimeoutOverride: true } },
});
const scale = onnx({
  name: "scale",
  file: "models/scale.onnx",
  ...tensors,
  profiles: { gpu: { dynamicBatching: { defaultQueuePolicy: { defaultTimeout: "5s" } } } },
});
const twice = onnx({
  name: "twice",
  file: "models/double.onnx",
  ...tensors,
  dynamicBatching: {
    defaultQueuePolicy: { timeoutAction: "delay" },
    priorityQueuePolicy: { 1: { maxQueueSize: 8 } },
  },
});

export const both = defineEnsemble({
  name: "both",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  members: { dynamicBatching: { priorityLevels: 2, defaultPriorityLevel: 1 } },
  run: ({ x }) => ({ y: twice({ x: scale({ x: double({ x }).y }).y }).y.add(1) }),
});
