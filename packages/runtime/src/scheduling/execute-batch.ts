import { foreignError, PipelineError } from "@tritype/core";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import { requestPrefix } from "../requests/request-error.ts";
import { runtimeError } from "../errors.ts";

/** Runs requests together. If a model breaks its contract, the requests fail, not the process. */
export const executeBatch = async (
  name: string,
  model: LoadedModel,
  requests: readonly ModelRequest[],
): Promise<readonly ModelResult[]> => {
  try {
    const results = await model.execute(requests);
    return requests.map((_, i) => results[i] ?? { error: noResponse(name) });
  } catch (error) {
    const failure = PipelineError.is(error) ? error : modelFailed(name, error);
    return requests.map(() => ({ error: failure }));
  }
};

const noResponse = (name: string): PipelineError => runtimeError("model/no-response", { model: name });

const modelFailed = (name: string, cause: unknown): PipelineError =>
  foreignError(
    "model/failed",
    `model '${name}' failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  );

export const stopping = (id: string): PipelineError =>
  foreignError(
    "model/unavailable",
    `${requestPrefix(id)}Server is stopping, scheduler for model has stopped accepting new inference requests`,
  );
