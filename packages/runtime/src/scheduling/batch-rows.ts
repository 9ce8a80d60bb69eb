import type { ModelRequest } from "../backend.ts";

/** Rows of a checked request; 1 where the model has no batches, and for a batch of 0, as Triton counts. */
export const batchRows = ({ inputs }: ModelRequest, maxBatchSize: number): number => {
  if (maxBatchSize === 0) return 1;
  for (const { shape } of inputs.values()) return Math.max(1, shape[0] ?? 1);
  return 1;
};
