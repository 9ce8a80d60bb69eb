import { foreignError } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";

/**
 * @throws PipelineError `request/unsupported` with this endpoint's text for a model that may answer more than once; as
 * `Runtime.infer` for a missing model.
 */
export const refuseDecoupled = (
  runtime: Runtime,
  model: string,
  version: string | undefined,
  text: string,
): void => {
  if (runtime.decoupled(model, version)) throw foreignError("request/unsupported", text);
};
