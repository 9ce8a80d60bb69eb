import { PipelineError } from "@tritype/core";

/** What a runtime that is closing says to whatever comes. */
export const stopping = (): PipelineError => new PipelineError("model/unavailable", "Server is stopping");
