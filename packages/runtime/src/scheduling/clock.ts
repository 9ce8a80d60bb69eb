/** Time and timers, injected so that tests control the time. */
export interface Clock {
  /** Microseconds since an arbitrary moment; monotonic. */
  now(): number;
  /** Calls back once, at `time` or later, or after 24 days; the returned function cancels the call. */
  at(time: number, callback: () => void): () => void;
  /** Like `at`, but may call back earlier, and does not keep the process alive. */
  later(time: number, callback: () => void): () => void;
  /** Calls back once, after everything that has arrived so far has been processed. */
  soon(callback: () => void): void;
}

/** Milliseconds until then. Node's timers can wait for 2 ** 31 - 1; after a longer time, they call back at once. */
const until = (time: number): number =>
  Math.min(2 ** 31 - 1, Math.max(0, Math.ceil((time - performance.now() * 1000) / 1000)));

/** The machine's clock. Node's timers count whole milliseconds, so a shorter wait may take a full millisecond. */
export const systemClock: Clock = {
  now: () => performance.now() * 1000,
  at: (time, callback) => {
    const timer = setTimeout(callback, until(time));
    return () => clearTimeout(timer);
  },
  later: (time, callback) => {
    const timer = setTimeout(callback, until(time));
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon: (callback) => {
    setImmediate(callback);
  },
};
