import { bool, bytes, fp32, int64 } from "../../dsl/src/index.ts";

/** The tensors of the operators' examples, as inputs of an ensemble. */
export const exampleTensors = {
  scores: fp32("batch", 10),
  other: fp32("batch", 10),
  hidden: fp32("batch", "seq", 384),
  weights: fp32("batch", 384, 8),
  mask: int64("batch", "seq"),
  ids: int64("batch", 5),
  one: fp32("batch", 1),
  flags: bool("batch", 10),
  labels: bytes("batch", 10),
} as const;
