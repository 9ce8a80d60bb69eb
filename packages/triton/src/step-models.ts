import type { ModelConfig } from "./generated/model-config.ts";

/** The models that an ensemble's steps name, each once; none for other models. */
export const stepModels = (config: Pick<ModelConfig, "ensemble_scheduling">): readonly string[] => [
  ...new Set((config.ensemble_scheduling?.step ?? []).map(({ model_name = "" }) => model_name)),
];
