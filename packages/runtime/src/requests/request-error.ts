import { foreignError, type PipelineError } from "@tritype/core";

/**
 * The way Triton names the request in a message: `[request id: abc] `.
 * Source: `InferenceRequest::LogRequest` of Triton core.
 */
export const requestPrefix = (id: string): string => `[request id: ${id === "" ? "<id_unknown>" : id}] `;

/** A request that does not fit the model, with Triton's prefix before its text. */
export const invalidRequest = (id: string, text: string): PipelineError =>
  foreignError("request/invalid", requestPrefix(id) + text);
