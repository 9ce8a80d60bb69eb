import { percentile } from "@tritype/core";
import type { ModelStatistics } from "@tritype/protocol";
import {
  grpcTarget,
  httpTarget,
  type Load,
  machineClock,
  modelActivity,
  type EnsembleStep,
  type Progress,
  type Recording,
  requestTime,
  runLoad,
  type StreamTimes,
  summarizeLatency,
} from "@tritype/load-test";
import type { BenchPlan, Protocol } from "./bench-plan.ts";
import type { BenchCase } from "./bench-result.ts";
import type { RequestSet } from "./request-set.ts";

export interface MeasureOptions {
  readonly plan: BenchPlan;
  readonly model: string;
  readonly set: RequestSet;
  /** Whether the model streams. */
  readonly streams: boolean;
  /** Maps an ensemble to its steps. */
  readonly ensembles: ReadonlyMap<string, readonly EnsembleStep[]>;
  /** The protocols to measure, each with its address. */
  readonly addresses: readonly (readonly [Protocol, string])[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly statistics: () => Promise<readonly ModelStatistics[]>;
  readonly signal: AbortSignal;
  /** Called about four times per second. */
  readonly onProgress: (protocol: Protocol, load: Load, passedSeconds: number, progress: Progress) => void;
  readonly onCase: (measured: BenchCase) => void;
  /** Called once if the server has no statistics. */
  readonly onNoStatistics: (error: unknown) => void;
}

/** Measures every load over every protocol, one after another, until all are done or the signal is aborted. */
export const measureCases = async (options: MeasureOptions): Promise<readonly BenchCase[]> => {
  const { plan, addresses, signal, onCase } = options;
  const cases: BenchCase[] = [];
  let hasWarned = false;
  const statistics = (): Promise<readonly ModelStatistics[] | undefined> =>
    options.statistics().catch((error: unknown) => {
      if (!hasWarned && !signal.aborted) options.onNoStatistics(error);
      hasWarned = true;
      return undefined;
    });
  for (const load of plan.loads)
    for (const [protocol, address] of addresses) {
      if (signal.aborted) return cases;
      const measured = await measureCase(options, protocol, address, load, statistics);
      if (measured === undefined) continue;
      cases.push(measured);
      onCase(measured);
    }
  return cases;
};

const measureCase = async (
  { plan, model, set, streams, ensembles, headers, signal, onProgress }: MeasureOptions,
  protocol: Protocol,
  address: string,
  load: Load,
  statistics: () => Promise<readonly ModelStatistics[] | undefined>,
): Promise<BenchCase | undefined> => {
  const open = protocol === "http" ? httpTarget : grpcTarget;
  const requests = set.requests.map((inputs) => ({ inputs }));
  const target = open(address, { model, requests, timeoutMs: plan.timeoutMs, streams, headers });
  let before: Promise<readonly ModelStatistics[] | undefined> | undefined;
  const began = performance.now();
  let look: (() => Progress) | undefined;
  const ticking = setInterval(() => {
    if (look !== undefined) onProgress(protocol, load, (performance.now() - began) / 1000, look());
  }, 250);
  let recording: Recording;
  try {
    recording = await runLoad({
      load,
      target,
      clock: machineClock,
      warmMs: plan.warmSeconds * 1000,
      measureMs: plan.seconds * 1000,
      drainMs: plan.timeoutMs,
      seed: plan.seed,
      signal,
      onStart: (progress) => (look = progress),
      onMeasure: () => (before = statistics()),
    });
  } finally {
    clearInterval(ticking);
  }
  if (recording.seconds === 0) return undefined;
  const [then, now] = [await before, before === undefined ? undefined : await statistics()];
  const activity = then === undefined || now === undefined ? undefined : modelActivity(then, now);
  const measured = benchCase(protocol, load, recording, set, activity);
  const mean = measured.latency?.mean;
  const time =
    activity === undefined || mean === undefined
      ? undefined
      : requestTime(model, activity, ensembles, mean * 1000);
  return { ...measured, ...(time === undefined ? {} : { time }) };
};

const benchStream = ({ perSecond, firsts, gaps }: StreamTimes) => {
  const [first, gap] = [summarizeLatency(firsts), summarizeLatency(gaps)];
  return {
    responsesPerSecond: perSecond,
    ...(first === undefined ? {} : { first }),
    ...(gap === undefined ? {} : { gap }),
  };
};

const benchCase = (
  protocol: Protocol,
  load: Load,
  recording: Recording,
  set: RequestSet,
  models: ReturnType<typeof modelActivity> | undefined,
): BenchCase => {
  const { perSecond, lateness, stream } = recording;
  const latency = summarizeLatency(recording.latencies);
  return {
    protocol,
    load,
    seconds: recording.seconds,
    requestsPerSecond: perSecond,
    rowsPerSecond: (perSecond * set.rows) / set.requests.length,
    ...(latency === undefined ? {} : { latency }),
    ...(stream === undefined ? {} : { stream: benchStream(stream) }),
    ...(lateness.length === 0
      ? {}
      : { sentLate: { p50: percentile(lateness, 0.5), p99: percentile(lateness, 0.99) } }),
    mostInFlight: recording.mostInFlight,
    failures: recording.failures,
    unfinished: recording.unfinished,
    timeline: recording.timeline,
    ...(models === undefined ? {} : { models }),
  };
};
