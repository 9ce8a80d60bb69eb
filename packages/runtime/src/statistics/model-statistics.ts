import { type ComputeTimes, failureCount, hasFailed, type ModelResult } from "../backend.ts";
import { createSummary, type LatencySummary, type SummaryRecorder } from "./latency-summary.ts";
import type { Executed, SchedulerObserver } from "../scheduling/scheduler.ts";

/** Count and total duration in nanoseconds. */
export interface Duration {
  readonly count: number;
  readonly ns: number;
}
export interface BatchStatistics {
  readonly batch_size: number;
  readonly compute_input: Duration;
  readonly compute_infer: Duration;
  readonly compute_output: Duration;
}
/** The statistics as printed at `/v2/models/<model>/stats`, without the name and version. */
export interface ModelStatistics {
  /** Milliseconds since 1970; 0 before the first. */
  readonly last_inference: number;
  /** Number of answered rows. */
  readonly inference_count: number;
  /** Number of executions of the model. */
  readonly execution_count: number;
  readonly inference_stats: Readonly<
    Record<
      | "success"
      | "fail"
      | "queue"
      | "compute_input"
      | "compute_infer"
      | "compute_output"
      | "cache_hit"
      | "cache_miss",
      Duration
    >
  >;
  readonly response_stats: Readonly<Record<string, never>>;
  readonly batch_stats: readonly BatchStatistics[];
  readonly memory_usage: readonly never[];
}

/** Summaries of durations, if they are recorded. Their counts come from the statistics. */
export type LatencySummaries = Readonly<
  Record<Exclude<keyof ModelStatistics["inference_stats"], "fail">, LatencySummary>
>;

/** The reason why a request failed, in the terms of Triton's metrics. */
export type FailureReason = "REJECTED" | "CANCELED" | "BACKEND" | "OTHER";

/** Counts the activity of one version of a model in the same way as Triton. */
export interface StatisticsRecorder extends Required<SchedulerObserver> {
  /** A request has its response, `took` microseconds after it arrived, which counts as a success or as this number of failures. */
  answered(took: number, failures: number): void;
  snapshot(): ModelStatistics;
  failures(): ReadonlyMap<FailureReason, number>;
  /** undefined if no quantiles are wanted. */
  summaries(): LatencySummaries | undefined;
  /** Quantiles of the durations of successful requests in the last minute, in microseconds; recorded since the first call. */
  recentLatency(quantiles: readonly number[]): LatencySummary["quantiles"];
}

class Sum {
  count = 0;
  microseconds = 0;
  private summary: SummaryRecorder | undefined;
  constructor(summary?: SummaryRecorder) {
    this.summary = summary;
  }
  add(microseconds: number): void {
    this.count++;
    this.microseconds += microseconds;
    this.summary?.add(Math.floor(microseconds));
  }
  /** Starts to record durations, unless it already does. */
  watch(today: () => number): SummaryRecorder {
    this.summary ??= createSummary(today);
    return this.summary;
  }
  summarize(quantiles: readonly number[]): LatencySummary {
    return this.summary?.read(quantiles) ?? { count: 0, sum: 0, quantiles: [] };
  }
  get duration(): Duration {
    return { count: this.count, ns: Math.round(this.microseconds * 1000) };
  }
}

const computeSums = (summary?: () => SummaryRecorder) => ({
  input: new Sum(summary?.()),
  infer: new Sum(summary?.()),
  output: new Sum(summary?.()),
});
type ComputeSums = ReturnType<typeof computeSums>;

const addTimes = (sums: ComputeSums, { input, infer, output }: ComputeTimes): void => {
  sums.input.add(input);
  sums.infer.add(infer);
  sums.output.add(output);
};

/**
 * `today` gives milliseconds since 1970. Source: `InferenceStatsAggregator` of Triton core: an execution counts with
 * its batch size, a request with the duration of the whole execution, and only success counts, unless the result says
 * otherwise.
 * @param quantiles The quantiles in the summaries of durations; undefined for none.
 */
export const createStatisticsRecorder = (
  today: () => number,
  quantiles?: readonly number[],
  ensemble = false,
): StatisticsRecorder => {
  const summary = quantiles === undefined ? undefined : () => createSummary(today);
  const success = new Sum(summary?.());
  const fail = new Sum();
  const queue = new Sum(summary?.());
  const compute = computeSums(summary);
  const cacheHit = new Sum(summary?.());
  const cacheMiss = new Sum(summary?.());
  const batches = new Map<number, ComputeSums>();
  const failures = new Map<FailureReason, number>();
  let lastInference = 0;
  let rows = 0;
  let executions = 0;

  const countFailure = (reason: FailureReason, count = 1): void => {
    failures.set(reason, (failures.get(reason) ?? 0) + count);
  };
  const reasonOf = (result: ModelResult): FailureReason => {
    if ("error" in result && result.error.code === "request/cancelled") return "CANCELED";
    return ensemble ? "OTHER" : "BACKEND";
  };

  return {
    executed: (requests, took, emptyRows = 0) => {
      let first: Executed | undefined;
      let size = emptyRows;
      for (const request of requests) {
        const { result, batchSize } = request;
        if (hasFailed(result)) countFailure(reasonOf(result), failureCount(result));
        if ("error" in result && result.counts === undefined) continue;
        first ??= request;
        size += batchSize;
      }
      if (first === undefined) return;
      lastInference = today();
      executions++;
      const sums = batches.get(size) ?? computeSums();
      batches.set(size, sums);
      addTimes(sums, timesOf(first, took));
      for (const request of requests) {
        if (hasFailed(request.result)) continue;
        rows += request.batchSize;
        const times = timesOf(request, took);
        queue.add(request.queued + (times.waited ?? 0));
        addTimes(compute, times);
      }
    },
    rejected: () => countFailure("REJECTED"),
    cancelled: () => countFailure("CANCELED"),
    rescheduled: (took) => success.add(took),
    // Triton ends the sequence with an additional request, which it cancels and counts.
    iterated: () => {
      countFailure("CANCELED");
      fail.add(0);
    },
    cacheHit: (took) => {
      queue.add(0);
      cacheHit.add(took);
    },
    cacheMiss: (took) => cacheMiss.add(took),
    answered: (took, count) => {
      if (count === 0) success.add(took);
      for (let left = count; left > 0; left--) fail.add(took);
    },
    failures: () => failures,
    summaries: () =>
      quantiles && {
        success: success.summarize(quantiles),
        queue: queue.summarize(quantiles),
        compute_input: compute.input.summarize(quantiles),
        compute_infer: compute.infer.summarize(quantiles),
        compute_output: compute.output.summarize(quantiles),
        cache_hit: cacheHit.summarize(quantiles),
        cache_miss: cacheMiss.summarize(quantiles),
      },
    recentLatency: (asked) => success.watch(today).read(asked).quantiles,
    snapshot: () => ({
      last_inference: lastInference,
      inference_count: rows,
      execution_count: executions,
      inference_stats: {
        success: success.duration,
        fail: fail.duration,
        queue: queue.duration,
        compute_input: compute.input.duration,
        compute_infer: compute.infer.duration,
        compute_output: compute.output.duration,
        cache_hit: cacheHit.duration,
        cache_miss: cacheMiss.duration,
      },
      response_stats: {},
      batch_stats: [...batches]
        .toSorted(([a], [b]) => a - b)
        .map(([batch_size, { input, infer, output }]) => ({
          batch_size,
          compute_input: input.duration,
          compute_infer: infer.duration,
          compute_output: output.duration,
        })),
      memory_usage: [],
    }),
  };
};

const timesOf = ({ result }: Executed, took: number): ComputeTimes =>
  "times" in result && result.times !== undefined ? result.times : { input: 0, infer: took, output: 0 };
