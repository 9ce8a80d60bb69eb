import type { NamedTensors } from "@tritype/core";
import type { ModelRequest, ModelResult } from "../backend.ts";
import type { Clock } from "./clock.ts";
import { cacheKey, type ResponseCache } from "./response-cache.ts";
import type { Scheduler, SchedulerObserver } from "./scheduler.ts";

export interface CachedSchedulerOptions {
  readonly scheduler: Scheduler;
  readonly cache: ResponseCache;
  readonly clock: Clock;
  readonly observer: SchedulerObserver;
}

/** Loaded versions are numbered, so that a reloaded version does not return cached answers of its predecessor. */
let versions = 0;

/**
 * A scheduler that looks for the answer in the cache first. As in Triton, a failure of the model is cached too, as
 * an answer without outputs.
 */
export const createCachedScheduler = ({
  scheduler,
  cache,
  clock,
  observer,
}: CachedSchedulerOptions): Scheduler => {
  const version = String(versions++);
  return {
    ...scheduler,
    infer: async (request): Promise<ModelResult> => {
      const arrived = clock.now();
      const key = cacheKey(version, request.inputs);
      const found = cache.find(key);
      const lookup = clock.now() - arrived;
      cache.took(lookup, 0);
      if (found !== undefined) {
        observer.cacheHit?.(lookup);
        return { outputs: found, cached: true };
      }
      const result = await scheduler.infer(request);
      if (!hasRun(result)) return result;
      const ran = clock.now();
      const kept = cache.keep(key, answered(result, request));
      const insertion = clock.now() - ran;
      cache.took(0, insertion);
      if (kept) observer.cacheMiss?.(lookup + insertion);
      return result;
    },
  };
};

/** Whether the model ran: false for a request that was refused before it ran, or that failed in an ensemble. */
const hasRun = (result: ModelResult): boolean =>
  !("error" in result) || result.counts === "answer" || result.counts === "execution";

const answered = (result: ModelResult, { outputs }: ModelRequest): NamedTensors =>
  new Map("error" in result ? [] : [...result.outputs].filter(([name]) => outputs.includes(name)));
