import { foreignError, messageOf, PipelineError, requestPrefix } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import type { Clock } from "./clock.ts";
import { invalidRequest } from "../requests/request-error.ts";
import type { ComputeMoments } from "../tracing/request-trace.ts";
import { runtimeError } from "../errors.ts";

/** Runs requests together. If a model breaks its contract, only these requests fail, not the process. */
export const executeBatch = (
  config: ModelConfig,
  model: LoadedModel,
  requests: readonly ModelRequest[],
  clock: Clock,
): Promise<readonly ModelResult[]> =>
  model.composed === true || requests.every(({ trace }) => trace === undefined)
    ? execute(config, model, requests)
    : executeTraced(config, model, requests, clock);

const executeTraced = async (
  config: ModelConfig,
  model: LoadedModel,
  requests: readonly ModelRequest[],
  clock: Clock,
): Promise<readonly ModelResult[]> => {
  const start = clock.now();
  const results = await execute(config, model, requests);
  const end = clock.now();
  return results.map((result, i) =>
    requests[i]?.trace === undefined || wasAbandoned(result)
      ? result
      : { ...result, moments: momentsOf(result, start, end, requests.length) },
  );
};

/** The request was cancelled before the model ran. */
const wasAbandoned = (result: ModelResult): boolean =>
  "error" in result && result.counts === undefined && result.error.code === "request/cancelled";

/** If the durations of the parts are unknown, the whole duration counts as the model's. */
const momentsOf = (result: ModelResult, start: number, end: number, together: number): ComputeMoments => {
  const times = "times" in result ? result.times : undefined;
  if (times === undefined) return { start, inputEnd: start, outputStart: end, end, together };
  const began = start + (times.waited ?? 0);
  const inputEnd = began + times.input;
  const outputStart = inputEnd + times.infer;
  return { start: began, inputEnd, outputStart, end: Math.max(end, outputStart), together };
};

const execute = async (
  { name = "", max_batch_size: maxBatchSize = 0 }: ModelConfig,
  model: LoadedModel,
  requests: readonly ModelRequest[],
): Promise<readonly ModelResult[]> => {
  // Backends read the number of rows from the first input, which may be a control of a sequence.
  const empty = requests.find(({ inputs }) => inputs.size === 0);
  if (empty !== undefined && maxBatchSize > 0 && model.composed !== true) {
    const error = invalidRequest(empty.id, "out of bounds index 0: request has 0 inputs");
    return requests.map(() => ({ error }));
  }
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
  foreignError("model/failed", `model '${name}' failed: ${messageOf(cause)}`, { cause });

export const stopping = (id: string): PipelineError =>
  foreignError(
    "model/unavailable",
    `${requestPrefix(id)}Server is stopping, scheduler for model has stopped accepting new inference requests`,
  );
