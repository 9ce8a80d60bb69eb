import { percentile } from "@tritype/core";
import { latencyRule } from "@tritype/deploy/diagnostics";

/** `p99<200ms` */
export interface LatencyLimit {
  readonly percentile: number;
  readonly limitMs: number;
}

/**
 * Applies the limit, or `latencyRule` if there is none, to a server's latencies, as a chart's smoke.py does.
 * @param times Milliseconds, in ascending order.
 * @param build The build's median in the local runtime.
 */
export const judgeLatency = (
  times: ArrayLike<number>,
  build: number,
  limit: LatencyLimit | undefined,
): { readonly ok: boolean; readonly text: string } => {
  const median = percentile(times, 0.5);
  const reached = limit === undefined ? median : percentile(times, limit.percentile);
  const most = limit?.limitMs ?? latencyRule.times * build + latencyRule.plusMilliseconds;
  if (reached <= most)
    return {
      ok: true,
      text: `median ${shown(median)}, p99 ${shown(percentile(times, 0.99))}; the build in the local runtime ${shown(build)}`,
    };
  const text =
    limit === undefined
      ? `median is ${shown(median)}, more than ${shown(most)}: ${latencyRule.times} times the build's ${shown(build)} plus ${latencyRule.plusMilliseconds} ms`
      : `p${Math.round(limit.percentile * 100)} is ${shown(reached)}, more than ${limit.limitMs} ms`;
  return { ok: false, text };
};

const shown = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`;
