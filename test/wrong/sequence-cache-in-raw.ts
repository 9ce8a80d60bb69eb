// @ts-nocheck
import { defineEnsemble, fp32, onnx } from "tritype";

const x = fp32("batch", 4);
const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x },
  outputs: { y: x },
  sequenceBatching: {},
});

export const twice = defineEnsemble({
  name: "twice",
  maxBatchSize: 8,
  inputs: { x },
  run: ({ x }) => double({ x }),
  raw: "response_cache { enable: true }",
});

export const inProfile = defineEnsemble({
  name: "in_profile",
  maxBatchSize: 8,
  inputs: { x },
  run: ({ x }) => double({ x }),
  profiles: { gpu: { responseCache: { enable: true } } },
});
