import { rowsOf } from "@tritype/core";
import type { ModelRequest } from "../backend.ts";

/** Rows of a checked request; 1 if the model is not batched, and for a batch of 0, as in Triton. */
export const batchRows = ({ inputs }: ModelRequest, maxBatchSize: number): number =>
  maxBatchSize === 0 ? 1 : Math.max(1, rowsOf(inputs));
