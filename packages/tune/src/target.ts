import { meanOf, percentile } from "@tritype/core";
import type { Slice } from "./measurement.ts";

/** The aim of a tuning run. */
export type Target =
  | { readonly kind: "throughput" }
  | { readonly kind: "latency" }
  /** As many requests per second as possible while this share of them is answered within the limit. */
  | { readonly kind: "within"; readonly percentile: number; readonly limitMs: number };

/** Reads `throughput`, `latency` or `p99<50ms`; undefined for any other string. */
export const parseTarget = (text: string): Target | undefined => {
  if (text === "throughput" || text === "latency") return { kind: text };
  const [, percentile, limit, unit] = /^p(50|90|95|99)\s*<\s*(\d+(?:\.\d+)?)\s*(ms|s)$/.exec(text) ?? [];
  const limitMs = Number(limit) * (unit === "s" ? 1000 : 1);
  return limitMs > 0 ? { kind: "within", percentile: Number(percentile) / 100, limitMs } : undefined;
};

export const showTarget = (target: Target): string =>
  target.kind === "within" ? `p${Math.round(target.percentile * 100)}<${target.limitMs}ms` : target.kind;

/**
 * A score for a measurement: the larger, the better. Above the limit of a `within` target it falls with the fourth
 * power of the excess, so that a search that begins above the limit gets below it.
 */
export const scoreOf = (target: Target, { perSecond, latencies }: Slice): number => {
  if (target.kind === "throughput") return perSecond;
  if (target.kind === "latency") return 1000 / meanOf(latencies);
  return perSecond * Math.min(1, target.limitMs / percentileOf(latencies, target.percentile)) ** 4;
};

/** The percentile of a `within` target; undefined for other targets. */
export const limitedPercentile = (target: Target): number | undefined =>
  target.kind === "within" ? target.percentile : undefined;

/** The number of answers that a measurement needs: a p99 of fewer than 100 answers would be the slowest one. */
export const leastAnswers = (target: Target): number =>
  Math.max(5, Math.round(1 / (1 - (limitedPercentile(target) ?? 0))));

/** Nearest rank. @param values Not empty, in any order. */
export const percentileOf = (values: readonly number[], share: number): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    share,
  );
