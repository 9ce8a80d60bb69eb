import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";

/** The time source of a load; tests can replace it. Milliseconds from an arbitrary zero. */
export interface Clock {
  now(): number;
  /** Resolves at `time`, or when `signal` is aborted; never rejects. */
  until(time: number, signal: AbortSignal): Promise<void>;
}

/**
 * The machine's clock. Node's timers have a resolution of one millisecond; the last millisecond before `time` is spent
 * spinning through the event loop, so that requests are sent on time, at the cost of some processor time.
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
