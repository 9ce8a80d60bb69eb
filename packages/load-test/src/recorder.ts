import type { Failure } from "./target.ts";

/** Failures with the same status. */
export interface FailureCount {
  readonly status: string;
  readonly count: number;
  /** The message of the first failure. */
  readonly message: string;
}

/** The requests and responses within a time window; times in ms. */
export interface Recording {
  /** Length of the window; shorter than requested if the load was stopped. */
  readonly seconds: number;
  /** Successful responses that arrived within the window, per second. */
  readonly perSecond: number;
  /** Latencies of the successful requests that were due within the window, sorted. */
  readonly latencies: Float64Array;
  /** Delays with which the requests due within the window were sent, sorted. All 0 in a closed loop. */
  readonly lateness: Float64Array;
  readonly failures: readonly FailureCount[];
  /** Requests due within the window that had no response when the load ended. */
  readonly unfinished: number;
  /** Successful responses and failures by the second in which they arrived, from the start of the window. */
  readonly timeline: readonly { readonly answered: number; readonly failed: number }[];
  /** Only if requests were streams. */
  readonly stream?: StreamTimes;
  /** The maximum number of requests within the window that were due and unanswered at the same time. */
  readonly mostInFlight: number;
}

/** The responses of the streams that were due within the window. A stream that failed counts up to its failure. */
export interface StreamTimes {
  /** Responses that arrived within the window, per second. */
  readonly perSecond: number;
  /** Times to the first response, sorted. */
  readonly firsts: Float64Array;
  /** Times between the responses of a stream, sorted. */
  readonly gaps: Float64Array;
}

/** The activity of a running load since it began, including the warm-up. */
export interface Progress {
  readonly answered: number;
  readonly failed: number;
  readonly inFlight: number;
}

/**
 * Records the outcome of requests. `intended` is the time when a request was due; it determines whether the request is
 * in the window.
 */
export interface Recorder {
  due(intended: number): void;
  sent(intended: number, now: number): void;
  /** The returned function is called with the time of each response of a stream. */
  responses(intended: number): (now: number) => void;
  answered(intended: number, now: number, failure: Failure | undefined): void;
  progress(): Progress;
  /** Ends the window now, if that is earlier than planned. */
  stop(now: number): void;
  finish(): Recording;
}

/** Records the requests that are due at `from` ≤ time < `planned`. */
export const createRecorder = (from: number, planned: number): Recorder => {
  let to = planned;
  const latencies = growingSamples();
  const lateness = growingSamples();
  const firsts = growingSamples();
  const gaps = growingSamples();
  let responsesInWindow = 0;
  const failures = new Map<string, { count: number; message: string }>();
  const timeline: { answered: number; failed: number }[] = [];
  const total = { answered: 0, failed: 0, inFlight: 0 };
  let dueInWindow = 0;
  let settledInWindow = 0;
  let mostInFlight = 0;
  const within = (time: number): boolean => time >= from && time < to;
  return {
    due: (intended) => {
      total.inFlight++;
      if (!within(intended)) return;
      dueInWindow++;
      mostInFlight = Math.max(mostInFlight, total.inFlight);
    },
    sent: (intended, now) => {
      if (within(intended)) lateness.add(now - intended);
    },
    responses: (intended) => {
      let latest: number | undefined;
      return (now) => {
        if (within(now)) responsesInWindow++;
        if (within(intended)) (latest === undefined ? firsts : gaps).add(now - (latest ?? intended));
        latest = now;
      };
    },
    answered: (intended, now, failure) => {
      total.inFlight--;
      total[failure === undefined ? "answered" : "failed"]++;
      if (within(now)) {
        const second = Math.floor((now - from) / 1000);
        while (timeline.length <= second) timeline.push({ answered: 0, failed: 0 });
        const bin = timeline[second];
        if (bin !== undefined) bin[failure === undefined ? "answered" : "failed"]++;
      }
      if (!within(intended)) return;
      settledInWindow++;
      if (failure === undefined) {
        latencies.add(now - intended);
        return;
      }
      const known = failures.get(failure.status);
      if (known === undefined) failures.set(failure.status, { count: 1, message: failure.message });
      else known.count++;
    },
    progress: () => ({ ...total }),
    stop: (now) => {
      to = Math.min(to, now);
    },
    finish: () => {
      const seconds = Math.round(Math.max(0, to - from)) / 1000;
      const answeredInWindow = timeline.reduce((sum, { answered }) => sum + answered, 0);
      return {
        seconds,
        perSecond: seconds === 0 ? 0 : answeredInWindow / seconds,
        latencies: latencies.sorted(),
        lateness: lateness.sorted(),
        failures: [...failures]
          .map(([status, { count, message }]) => ({ status, count, message }))
          .toSorted((a, b) => b.count - a.count),
        unfinished: dueInWindow - settledInWindow,
        timeline: timeline.map((second) => ({ ...second })),
        mostInFlight,
        ...(responsesInWindow === 0
          ? {}
          : {
              stream: {
                perSecond: responsesInWindow / seconds,
                firsts: firsts.sorted(),
                gaps: gaps.sorted(),
              },
            }),
      };
    },
  };
};

/** A growing list of numbers, 8 bytes each, all of which are kept. */
interface GrowingSamples {
  add(sample: number): void;
  sorted(): Float64Array;
}

/** Keeps every sample exactly; one minute at 50,000 per second takes 24 MB. */
const growingSamples = (): GrowingSamples => {
  let samples = new Float64Array(1024);
  let count = 0;
  return {
    add: (sample) => {
      if (count === samples.length) {
        const larger = new Float64Array(count * 2);
        larger.set(samples);
        samples = larger;
      }
      samples[count++] = sample;
    },
    sorted: () => samples.subarray(0, count).toSorted(),
  };
};
