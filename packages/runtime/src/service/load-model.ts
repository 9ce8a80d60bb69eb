import type { PipelineError, TensorData } from "@tritype/core";
import { completeModelConfig, type ModelConfig } from "@tritype/triton";
import { failureCount, type LoadedModel } from "../backend.ts";
import { readInitialStates } from "../repository/read-initial-states.ts";
import { problemOf, type ReadableModel } from "../repository/read-model.ts";
import { createRequestCheck } from "../requests/request-check.ts";
import { createResponseOutputs } from "../requests/response-outputs.ts";
import { systemClock } from "../scheduling/clock.ts";
import { createCachedScheduler } from "../scheduling/cached-scheduler.ts";
import { createScheduler } from "../scheduling/create-scheduler.ts";
import { limitModel } from "../scheduling/limit-model.ts";
import type { RateLimiter } from "../scheduling/rate-limiter.ts";
import type { ResponseCache } from "../scheduling/response-cache.ts";
import { createStatisticsRecorder } from "../statistics/model-statistics.ts";
import type { Labels } from "../repository/read-labels.ts";
import type { ModelFiles } from "./model-files.ts";
import type { LoadedVersion, ModelLoader } from "./model-loader.ts";
import type { ReadyVersion, ServedModel } from "./model-table.ts";
import { createRunningCount } from "./running-count.ts";
import type { WarmupExecution } from "./warm-model.ts";

/**
 * Loads every version of a model that is not an ensemble, next to the running ones; never rejects because of a version.
 * @param reusable Versions that are already running and whose files have not changed.
 */
export const loadModel = async (
  model: ReadableModel,
  files: ModelFiles,
  load: ModelLoader,
  reusable: ReadonlyMap<string, ReadyVersion>,
  shared: SharedParts = {},
): Promise<ServedModel> => {
  const ready: ReadyVersion[] = [];
  const failed: { version: string; reason: PipelineError }[] = [];
  for (const version of model.versions) {
    const known = reusable.get(version);
    if (known !== undefined) {
      ready.push(known);
      continue;
    }
    try {
      const made = await load(model, version);
      ready.push(await served(model, version, made, shared));
    } catch (error) {
      failed.push({ version, reason: problemOf(error) });
    }
  }
  return { name: model.name, ready, failed, files };
};

/** A loaded version that answers requests. @throws PipelineError; the version is closed. */
const served = async (
  { name, folder, surroundings }: ReadableModel,
  version: string,
  { model, loaded, labels, warmup }: LoadedVersion,
  shared: SharedParts,
): Promise<ReadyVersion> => {
  try {
    const config = completeModelConfig(model.config, surroundings);
    const initialStates = await readInitialStates(folder, config);
    const { limiter } = shared;
    const limited = limiter === undefined ? loaded : limitModel(loaded, config, limiter, systemClock);
    return readyVersion(name, version, config, limited, { labels, shared, initialStates, warmup });
  } catch (error) {
    await loaded.close();
    throw error;
  }
};

/** The parts that all versions of a server share. */
export interface SharedParts {
  /** Used for models whose configuration enables it. */
  readonly cache?: ResponseCache | undefined;
  /** The quantiles in summaries of durations; undefined for no summaries. */
  readonly summaryQuantiles?: readonly number[] | undefined;
  /** All executions wait for it; undefined for no limits. */
  readonly limiter?: RateLimiter | undefined;
}

/** The parts of a version other than its model. */
export interface VersionParts {
  readonly labels: Labels;
  /** The models that an ensemble runs. Default none. */
  readonly members?: readonly ReadyVersion[];
  readonly shared?: SharedParts;
  /** The initial values of sequence states. Default none. */
  readonly initialStates?: ReadonlyMap<string, TensorData>;
  readonly warmup?: readonly WarmupExecution[] | undefined;
}

/** A version that checks its requests and passes them to its scheduler. */
export const readyVersion = (
  model: string,
  version: string,
  config: ModelConfig,
  loaded: LoadedModel,
  {
    labels,
    members = [],
    shared: { cache, summaryQuantiles } = {},
    initialStates,
    warmup = [],
  }: VersionParts,
): ReadyVersion => {
  const statistics = createStatisticsRecorder(
    Date.now,
    summaryQuantiles,
    config.ensemble_scheduling !== undefined,
  );
  for (const { requests, took } of warmup) {
    statistics.executed(requests, took);
    for (const { result } of requests) statistics.answered(took, failureCount(result));
  }
  const scheduler = createScheduler({
    model: loaded,
    config,
    clock: systemClock,
    observer: statistics,
    initialStates,
  });
  const caches = cache !== undefined && config.response_cache?.enable === true;
  return {
    model,
    version,
    config,
    loaded,
    members,
    scheduler: caches
      ? createCachedScheduler({ scheduler, cache, clock: systemClock, observer: statistics })
      : scheduler,
    streams: createRunningCount(),
    statistics,
    labels,
    check: createRequestCheck(config),
    respond: createResponseOutputs(config, labels),
  };
};
