/**
 * Triton's prefix for the request in a message: `[request id: abc] `. Source: `InferenceRequest::LogRequest` of Triton
 * core.
 */
export const requestPrefix = (id: string): string => `[request id: ${id === "" ? "<id_unknown>" : id}] `;
