import type { ModelConfig } from "@tritype/triton";
import type { StepContext } from "../step-kind.ts";

/**
 * Batching for models whose rows are independent. Requests that wait while an instance is busy run together; none waits
 * for others (docs/decisions/0064-defaults-that-never-wait-in-vain.md).
 */
export const batchesByDefault = ({
  maxBatchSize,
}: Pick<StepContext, "maxBatchSize">): Pick<ModelConfig, "dynamic_batching"> =>
  maxBatchSize > 1 ? { dynamic_batching: {} } : {};
