/** Time and timers, injected so that a test decides what time it is. */
export interface Clock {
  /** Microseconds since some moment; never goes back. */
  now(): number;
  /** Calls back once, at `time` or later; what it returns calls it off. */
  at(time: number, callback: () => void): () => void;
  /** Calls back once, when what has arrived by now has been taken in. */
  soon(callback: () => void): void;
}

/** The machine's clock. Timers of Node count whole milliseconds, so that a shorter wait takes up to one. */
export const systemClock: Clock = {
  now: () => performance.now() * 1000,
  at: (time, callback) => {
    const timer = setTimeout(callback, Math.max(0, Math.ceil((time - performance.now() * 1000) / 1000)));
    return () => clearTimeout(timer);
  },
  soon: (callback) => {
    setImmediate(callback);
  },
};
