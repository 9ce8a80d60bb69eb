import type { ModelConfig } from "@tritype/triton";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import type { Clock } from "./clock.ts";
import { instanceLimits, type RateLimiter } from "./rate-limiter.ts";

/**
 * A model whose executions wait for the rate limiter; as in Triton, that counts as time in the queue.
 * @throws PipelineError as `RateLimiter.register` does.
 */
export const limitModel = (
  loaded: LoadedModel,
  config: ModelConfig,
  limiter: RateLimiter,
  clock: Clock,
): LoadedModel => {
  const written = instanceLimits(config);
  const { instances: count = written.length } = loaded;
  const none = { priority: 1, resources: new Map() };
  const limited = limiter.register(
    Array.from({ length: Math.max(1, count) }, (_, i) => written[i] ?? written.at(-1) ?? none),
  );
  /** Without a batcher, Triton's requests wait in the rate limiter: the next one runs as soon as an instance is released. */
  const batches = config.dynamic_batching !== undefined || config.sequence_batching !== undefined;
  const run = async (requests: readonly ModelRequest[], wanted?: number): Promise<readonly ModelResult[]> => {
    const asked = clock.now();
    const { instance, release } = await limited.acquire(wanted);
    const started = clock.now();
    try {
      const results = await (loaded.executeOn?.(instance, requests) ?? loaded.execute(requests));
      const infer = clock.now() - started;
      return results.map((result) => {
        if ("error" in result) return result;
        const { waited = 0, ...times } = result.times ?? { input: 0, infer, output: 0 };
        return { ...result, times: { ...times, waited: waited + started - asked } };
      });
    } finally {
      if (batches) release();
      else setImmediate(release);
    }
  };
  const { ahead: _, executeOn, ...rest } = loaded;
  return {
    ...rest,
    execute: (requests) => run(requests),
    ...(executeOn === undefined ? {} : { executeOn: (instance, requests) => run(requests, instance) }),
    close: () => {
      limited.close();
      return loaded.close();
    },
  };
};
