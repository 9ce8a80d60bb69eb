import type { ModelConfig } from "@tritype/triton";
import type { StepContext } from "../step-kind.ts";

/**
 * Requests that wait while an instance is busy run together; none waits for others
 * (docs/decisions/0064-defaults-that-never-wait-in-vain.md). For models whose rows are independent.
 */
export const batchesByDefault = ({
  maxBatchSize,
}: Pick<StepContext, "maxBatchSize">): Pick<ModelConfig, "dynamic_batching"> =>
  maxBatchSize > 1 ? { dynamic_batching: {} } : {};
