import { foreignError, type PipelineError } from "@tritype/core";

/**
 * Triton's prefix for the request in a message: `[request id: abc] `. Source: `InferenceRequest::LogRequest` of Triton
 * core.
 */
export const requestPrefix = (id: string): string => `[request id: ${id === "" ? "<id_unknown>" : id}] `;

/** The error for a request that does not match the model, with Triton's prefix before its message. */
export const invalidRequest = (id: string, text: string): PipelineError =>
  foreignError("request/invalid", requestPrefix(id) + text);
