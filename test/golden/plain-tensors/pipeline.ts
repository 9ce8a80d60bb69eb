import { concat, constant, defineEnsemble, fp32, int64, where } from "tritype";

/** Only tensor math, without batching or models. One input is passed through and one tensor is returned twice. */
export const plain = defineEnsemble({
  name: "plain",
  inputs: { x: fp32(2, "n"), index: int64("k") },
  run({ x, index }) {
    const scaled = x.sub(x.mean("n", { keepDims: true })).div(x.max("n", { keepDims: true }).add(1));
    const picked = scaled.gather(1, index);
    const positive = where(picked.gt(0), picked, 0).add(constant(fp32, [0.5, 1.5], 2, 1));
    const joined = concat([positive, picked], 0);
    return {
      joined,
      again: joined,
      best: scaled.argmax(1),
      same: x,
      probabilities: scaled.softmax(-1).transpose(1, 0),
    };
  },
});
