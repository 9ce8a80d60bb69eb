// A wrong option of a step, followed by tensor math
import { bytes, defineEnsemble, fp32, int64, onnx, where } from "tritype";

const encode = onnx({
  name: "encode",
  file: "encoder.onnx",
  inputs: { ids: int64("batch", "seq") },
  outputs: { hidden: fp32("batch", "seq", 384), mask: int64("batch", "seq") },
  dynamicBatching: { maxQueueDelay: 2 },
});
const rank = onnx({
  name: "rank",
  file: "rank.onnx",
  inputs: { vector: fp32("batch", 384) },
  outputs: { score: fp32("batch", 1) },
});

export const ensemble = defineEnsemble({
  name: "ensemble",
  maxBatchSize: 8,
  inputs: { ids: int64("batch", "seq"), text: bytes("batch", 1) },
  run({ ids }) {
    const { hidden, mask } = encode({ ids });
    const open = mask.eq(0);
    const mean = hidden.mean(1).div(10).sub(0.5).softmax(-1).add(hidden.max(1).tanh());
    const picked = where(open.not(), mask, 0).sum(1, { keepDims: true }).add(1);
    const { score } = rank({ vector: mean });
    return { score: score.mul(2), picked, closed: open.or(mask.gt(3)) };
  },
});
