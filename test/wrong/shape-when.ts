// @ts-nocheck
import { bool, constant, defineEnsemble, fp32, int64, when } from "tritype";

/** Sides that do not fit, a condition for each element, one that does not fit the sides, and a side that moves rows. */
export const branches = defineEnsemble({
  name: "branches",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), ids: int64("batch", 4), sure: bool("batch", 1) },
  run({ x, ids, sure }) {
    return {
      dtypes: when(
        sure,
        () => x,
        () => ids,
      ),
      sizes: when(sure, { x, ids }, () => ({ x: x.slice(1, 0, 3), ids })).x,
      elements: when(
        x.gt(0),
        () => x,
        () => x.neg(),
      ),
      rows: when(
        sure,
        () => constant(fp32, 0, 4),
        () => constant(fp32, 1, 4),
      ),
      moved: when(
        sure,
        () => x,
        () => x.unsqueeze(0),
      ),
    };
  },
});
