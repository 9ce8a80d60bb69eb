import { foreignError, type PipelineError, requestPrefix } from "@tritype/core";

/** The error for a request that does not match the model, with Triton's prefix before its message. */
export const invalidRequest = (id: string, text: string): PipelineError =>
  foreignError("request/invalid", requestPrefix(id) + text);
