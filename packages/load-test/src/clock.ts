import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";

/** Where a load takes its time from, so that a test can give it another one. Milliseconds from an arbitrary zero. */
export interface Clock {
  now(): number;
  /** Resolves at `time`, or when `signal` is aborted, never rejects. */
  until(time: number, signal: AbortSignal): Promise<void>;
}

/**
 * The machine's. Node's timers know whole milliseconds; the last one before `time` is waited for turn by turn, so that requests go
 * out when they should, at the cost of some processor time.
 */
export const machineClock: Clock = {
  now: () => performance.now(),
  until: async (time, signal) => {
    for (;;) {
      const left = time - performance.now();
      if (left <= 0 || signal.aborted) return;
      if (left < 1) await turn();
      else await sleep(Math.floor(left), undefined, { signal }).catch(() => undefined);
    }
  },
};
