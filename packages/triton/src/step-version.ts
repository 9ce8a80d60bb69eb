import type { ModelEnsemblingStep } from "./generated/model-config.ts";

/**
 * The version that a step of an ensemble requests; undefined means the latest. Without `model_version` it is 0, as in
 * Triton.
 */
export const stepVersion = ({ model_version = 0 }: ModelEnsemblingStep): string | undefined =>
  model_version === -1 ? undefined : String(model_version);
