import type { NamedTensors } from "@tritype/core";
import { cacheKey, storedSize } from "@tritype/runtime";

/** Requests, and the answers to them. */
export interface Answered {
  readonly requests: readonly NamedTensors[];
  readonly answers: readonly NamedTensors[];
}

/**
 * Bytes of a response cache that holds half of the different answers, but at least the largest. Under load, a log's requests are sent
 * again and again. With this size, a request that occurs once in the log has left the cache when it comes again, so only requests that
 * repeat within the log are answered from the cache.
 */
export const cacheSize = (model: string, { requests, answers }: Answered): number => {
  const sizes = new Map(
    requests.map((inputs, index) => [cacheKey(model, inputs), storedSize(answers[index] ?? new Map()) ?? 0]),
  );
  const all = [...sizes.values()];
  return Math.ceil(Math.max(all.reduce((sum, size) => sum + size, 0) / 2, ...all));
};
