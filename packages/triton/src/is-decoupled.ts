import type { ModelConfig } from "./generated/model-config.ts";

/** Whether a model sends any number of responses to a request. */
export const isDecoupled = ({
  model_transaction_policy: policy,
}: Pick<ModelConfig, "model_transaction_policy">): boolean => policy?.decoupled === true;
