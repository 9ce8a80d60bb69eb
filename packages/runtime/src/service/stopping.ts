import { foreignError, type PipelineError } from "@tritype/core";

/** What a runtime that is closing says to whatever comes. */
export const stopping = (): PipelineError => foreignError("model/unavailable", "Server is stopping");
