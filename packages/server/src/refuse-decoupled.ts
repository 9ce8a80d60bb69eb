import { PipelineError } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";

/** @throws PipelineError `request/unsupported` with the door's text for a model that may answer more than once. */
export const refuseDecoupled = (
  runtime: Runtime,
  model: string,
  version: string | undefined,
  text: string,
): void => {
  if (runtime.modelReady(model, version) && runtime.decoupled(model, version))
    throw new PipelineError("request/unsupported", text);
};
