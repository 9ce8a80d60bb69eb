import { defineEnsemble, flow, fp32, optional, step } from "tritype";

const negate = step({
  name: "negate",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  run: ({ x }) => ({ y: x.map((value) => -value) }),
});

export const scale = flow({
  name: "scale",
  maxBatchSize: 8,
  inputs: { by: optional(fp32("batch", 4)), to: optional(fp32("batch", 4)) },
  outputs: { y: fp32("batch", 4) },
  uses: { negate },
  run: ({ by, to }, { negate }) => negate({ x: by ?? to ?? [1, 1, 1, 1] }),
});

/** A request that has no input of an ensemble fails in every pipeline. */
export const all = defineEnsemble({
  name: "all",
  maxBatchSize: 8,
  inputs: { by: optional(fp32("batch", 4)), to: optional(fp32("batch", 4)) },
  run: ({ by, to }) => ({ y: scale({ by, to }).y }),
});
