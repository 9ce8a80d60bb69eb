import { attempt } from "@tritype/core";
import { z } from "zod";
import type { Comparison } from "./compare-pairs.ts";
import type { Point } from "./knob.ts";
import type { StepTime } from "./measurement.ts";

/** Mean rate and percentiles of all slices of one side; latencies in ms. */
export interface Summary {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The percentile that the target limits. */
  readonly limited?: number | undefined;
}

/** One measured candidate. */
export interface Trial {
  /** The settings as strings, and those that they were compared with. */
  readonly point: string;
  readonly against: string;
  readonly settings: Point;
  readonly why: string;
  /** "likely": probably better, but not certainly. */
  readonly verdict: "start" | "better" | "likely" | "same" | "worse" | "failed";
  /** The reason why it failed. */
  readonly problem?: string | undefined;
  readonly comparison?: Comparison | undefined;
  readonly main?: Summary | undefined;
  /** The other side of the pairs. */
  readonly other?: Summary | undefined;
  /** Under the second load. */
  readonly side?: Summary | undefined;
  readonly steps: readonly StepTime[];
}

/** Whether the search continued from a candidate. */
export const isImprovement = ({ verdict }: Pick<Trial, "verdict">): boolean =>
  verdict === "better" || verdict === "likely";

/** Everything that a search has measured so far, as stored in the cache. */
export interface TuneState {
  readonly formatVersion: 2;
  /** Hash of everything that measurements depend on. */
  readonly key: string;
  readonly trials: readonly Trial[];
  /** The last comparison of the winner with the baseline. */
  readonly confirmed?: { readonly of: string; readonly comparison: Comparison } | undefined;
}

const number = z.number();
const summary = z.object({ perSecond: number, p50: number, p99: number, limited: number.optional() });
const comparison = z.object({ pairs: number, ratio: number, low: number, high: number });
const trial = z.object({
  point: z.string(),
  against: z.string(),
  settings: z.record(z.string(), number),
  why: z.string(),
  verdict: z.enum(["start", "better", "likely", "same", "worse", "failed"]),
  problem: z.string().optional(),
  comparison: comparison.optional(),
  main: summary.optional(),
  other: summary.optional(),
  side: summary.optional(),
  steps: z.array(
    z.object({
      model: z.string(),
      queueUs: number,
      computeInputUs: number,
      computeInferUs: number,
      computeOutputUs: number,
      averageBatch: number.optional(),
      batches: z.array(z.object({ rows: number, executions: number })),
    }),
  ),
}) satisfies z.ZodType<Trial>;
const tuneState = z.object({
  formatVersion: z.literal(2),
  key: z.string(),
  trials: z.array(trial),
  confirmed: z.object({ of: z.string(), comparison }).optional(),
}) satisfies z.ZodType<TuneState>;

export const emptyState = (key: string): TuneState => ({ formatVersion: 2, key, trials: [] });

/** The state in a cache file; an empty one if the file contains anything else, or the key differs. */
export const parseState = (text: string | undefined, key: string): TuneState =>
  attempt(() => {
    const state = tuneState.safeParse(JSON.parse(text ?? ""));
    return state.success && state.data.key === key ? state.data : emptyState(key);
  }) ?? emptyState(key);
