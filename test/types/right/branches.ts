import { bool, bytes, constant, defineEnsemble, fp32, int64, onnx, type Tensor, when, where } from "tritype";
import type { Equal } from "../equal.ts";

const large = onnx({
  name: "large",
  file: "large.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { scores: fp32("batch", 2), ids: int64("batch") },
});

export const perRow = defineEnsemble({
  name: "perRow",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), hidden: fp32("batch", "seq", 4), sure: bool("batch") },
  run({ x, hidden, sure }) {
    const { scores, ids } = large({ x });
    const one = when(x.max(-1).gt(0.5), () => x.softmax(-1), x);
    const pooled: Tensor<"FP32", ["batch", 4]> = when(
      sure,
      () => hidden.mean("seq"),
      () => constant(fp32, 0, 4).unsqueeze(0),
    );
    const whole = when(x.sum(-1, { keepDims: true }).gt(0), hidden, () => hidden.neg());
    const both = when(sure, { scores, ids }, () => ({ scores: scores.neg(), ids: ids.add(1) }));
    const nested = when(
      sure,
      () => when(sure, x, () => x.mul(2)),
      () => x.mul(3),
    );
    const same: Equal<typeof both.ids, Tensor<"INT64", ["batch"]>> = true;
    void same;
    return { one, pooled, whole, ...both, nested };
  },
});

export const once = defineEnsemble({
  name: "once",
  inputs: { x: fp32("n", 4), flag: bool(1) },
  run({ x, flag }) {
    const y: Tensor<"FP32", ["n", 4]> = when(
      flag,
      () => x.matmul(x.transpose(1, 0)).matmul(x),
      () => x,
    );
    const total: Tensor<"FP32", []> = when(x.max(0).max(0).gt(0), () => x.sum(0).sum(0), constant(fp32, 0));
    return { y, total: total.reshape(1) };
  },
});

export const texts = defineEnsemble({
  name: "texts",
  maxBatchSize: 8,
  inputs: { sure: bool("batch", 1), text: bytes("batch", 1), other: bytes("batch", 1) },
  run({ sure, text, other }) {
    const chosen: Tensor<"BYTES", ["batch", 1]> = where(sure, text, constant(bytes, ["unsure"], 1));
    return { chosen, either: when(sure, text, other), flag: where(sure, sure, sure.not()) };
  },
});
