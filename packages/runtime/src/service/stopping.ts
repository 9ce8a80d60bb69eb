import { foreignError, type PipelineError } from "@tritype/core";

/** The error for requests to a runtime that is closing. */
export const stopping = (): PipelineError => foreignError("model/unavailable", "Server is stopping");
