import type { Failure } from "./target.ts";

/** Failures of one status. */
export interface FailureCount {
  readonly status: string;
  readonly count: number;
  /** Of the first one. */
  readonly message: string;
}

/** What was sent and answered within a window of time; times in ms. */
export interface Recording {
  /** Of the window; shorter than asked for when the load was stopped. */
  readonly seconds: number;
  /** Good answers that arrived within the window, a second. */
  readonly perSecond: number;
  /** Requests meant for the window that were answered well: sorted. */
  readonly latencies: Float64Array;
  /** How long after its time each request meant for the window went out: sorted. All 0 in a closed loop. */
  readonly lateness: Float64Array;
  readonly failures: readonly FailureCount[];
  /** Requests meant for the window that had no answer when the load ended. */
  readonly unfinished: number;
  /** Good answers and failures by the second in which they arrived, from the window's begin. */
  readonly timeline: readonly { readonly answered: number; readonly failed: number }[];
  /** The most requests that were due and not answered at a time, within the window. */
  readonly mostInFlight: number;
}

/** What a running load has done since it began, warming included. */
export interface Progress {
  readonly answered: number;
  readonly failed: number;
  readonly inFlight: number;
}

/** Keeps what happens to requests. `intended` is when a request was meant to go out; it decides whether the window has it. */
export interface Recorder {
  due(intended: number): void;
  sent(intended: number, now: number): void;
  answered(intended: number, now: number, failure: Failure | undefined): void;
  progress(): Progress;
  /** @param end of the window, where it came before the one that was planned */
  finish(end: number): Recording;
}

/** Records what is meant for `from` ≤ time < `to`. */
export const createRecorder = (from: number, to: number): Recorder => {
  const latencies = growingSamples();
  const lateness = growingSamples();
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
    finish: (end) => {
      const seconds = Math.round(Math.max(0, Math.min(end, to) - from)) / 1000;
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
      };
    },
  };
};

/** Numbers that are collected one by one: 8 bytes each, all of them kept. */
interface GrowingSamples {
  add(sample: number): void;
  sorted(): Float64Array;
}

/** Every sample exactly; a minute at 50,000 a second takes 24 MB. */
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
