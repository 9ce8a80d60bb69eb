import { foreignError, type PipelineError } from "@tritype/core";
import { activeInstances } from "@tritype/triton";
import type { LoadedModel, ModelRequest, ModelVersion } from "../backend.ts";
import { defer } from "../python/deferred.ts";
import { systemClock } from "../scheduling/clock.ts";
import type { Executed } from "../scheduling/scheduler.ts";
import { type WarmupRun, warmupRequests } from "./warmup-requests.ts";

/** One execution for a warmup. Time in microseconds. */
export interface WarmupExecution {
  readonly requests: readonly Executed[];
  readonly took: number;
}

/**
 * Runs the samples of the model's `model_warmup` once for each instance in Triton, even if fewer run here; only then is
 * it ready. Returns the executions, which count in the statistics. Source: core `backend_model_instance.cc`, WarmUp.
 * @throws PipelineError with Triton's text; the model is closed.
 */
export const warmModel = async (
  model: ModelVersion,
  loaded: LoadedModel,
): Promise<readonly WarmupExecution[]> => {
  const instances = activeInstances(model.config);
  if (instances.length === 0) return [];
  const executions: WarmupExecution[] = [];
  try {
    for (const run of await warmupRequests(model)) {
      refuseLargeBatch(model, run);
      // Runs as many simultaneous executions as Triton has instances, so that each uses an idle one.
      for (let left = run.count; left > 0; left--)
        executions.push(...(await Promise.all(instances.map(() => runOnce(run, loaded)))));
    }
    return executions;
  } catch (error) {
    await loaded.close();
    throw error;
  }
};

const runOnce = async ({ name, request, size }: WarmupRun, loaded: LoadedModel): Promise<WarmupExecution> => {
  const requests = Array.from({ length: size }, () => request);
  const started = systemClock.now();
  const streamed = loaded.streams === true ? requests.map(lastMessage) : [];
  const results = await loaded
    .execute(loaded.streams === true ? streamed.map((one) => one.request) : requests)
    .catch((error: unknown) =>
      requests.map(() => ({ error: error instanceof Error ? error : new Error(String(error)) })),
    );
  const errors = results.flatMap((result) => ("error" in result ? [result.error.message] : []));
  if (errors.length === 0) errors.push(...(await Promise.all(streamed.map(({ errors }) => errors))).flat());
  if (errors.length > 0) throw failed(name, errors);
  return {
    requests: results.flatMap((result) => ("error" in result ? [] : { batchSize: 1, queued: 0, result })),
    took: systemClock.now() - started,
  };
};

/** A request to a decoupled model; `errors` resolves after its final message, to the errors that it received. */
const lastMessage = (
  request: ModelRequest,
): { readonly request: ModelRequest; readonly errors: Promise<readonly string[]> } => {
  const sent: string[] = [];
  const errors = defer<readonly string[]>();
  const reply: ModelRequest["reply"] = ({ result, final, taken }) => {
    if (result !== undefined && "error" in result) sent.push(result.error.message);
    taken?.();
    if (final) errors.resolve(sent);
  };
  return { request: { ...request, reply }, errors: errors.promise };
};

/** Triton's backends refuse such a batch request by request, except for ONNX Runtime's, which may crash Triton. */
const refuseLargeBatch = ({ name, config }: ModelVersion, { name: sample, size }: WarmupRun): void => {
  const most = config.max_batch_size ?? 0;
  if (size > Math.max(1, most))
    throw failed(sample, [`batch size ${size} for '${name}_0', max allowed is ${most}`]);
};

/** Triton lists the error of every request, with duplicates; here each is listed once. */
const failed = (sample: string, errors: readonly string[]): PipelineError =>
  foreignError(
    "repository/invalid",
    `failed to run warmup sample '${sample}': ${[...new Set(errors)].map((error) => `${error};`).join(" ")}`,
  );
