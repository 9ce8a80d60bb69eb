// @ts-nocheck
import { defineEnsemble, fp32, type Tensor } from "tritype";

/** Testing for a tensor that may be missing is allowed, but not for one that is always present. */
const scale = (x: Tensor<"FP32", ["batch", 4]>, by?: Tensor<"FP32", ["batch", 4]>) => {
  const scaled = by === undefined ? x : x.mul(by);
  return scaled.max(-1) ? scaled : x;
};

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const y = scale(scale(x), x) || x;
    if (x.dims.length !== 2 || x.gt(2)) return { y };
    while (!y) break;
    do break;
    while (y);
    for (const parts = [y]; parts[0] !== undefined && y.gt(0); ) break;
    const kept = [x, y].filter((part) => part.gt(0));
    if (
      kept.some((part) => {
        return part.lt(0) || x;
      })
    )
      return { y };
    let z = x;
    z &&= y;
    if (x === undefined || x != null) z = y ?? x;
    switch (y) {
      case x:
        return { y: x };
    }
    return x.sum(-1) === 0 ? { y: y.mul(2) } : { y: y.mul(0) };
  },
});
