import type { Clock } from "./clock.ts";

/** A clock that only moves with `advance`; microseconds from 0. */
export interface SimulatedClock extends Clock {
  /** Advances to `time`, runs every timer that becomes due at its own time, and waits until its work has settled. */
  advance(time: number): Promise<void>;
}

export const simulatedClock = (): SimulatedClock => {
  let now = 0;
  let timers: { readonly time: number; readonly callback: () => void }[] = [];
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const at: Clock["at"] = (time, callback) => {
    const timer = { time, callback };
    timers.push(timer);
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  };
  return {
    now: () => now,
    at,
    later: at,
    soon: (callback) => queueMicrotask(callback),
    advance: async (time) => {
      await settle();
      for (;;) {
        const [next] = timers.filter((timer) => timer.time <= time).toSorted((a, b) => a.time - b.time);
        if (next === undefined) break;
        now = Math.max(now, next.time);
        timers = timers.filter((timer) => timer !== next);
        next.callback();
        await settle();
      }
      now = time;
      await settle();
    },
  };
};
