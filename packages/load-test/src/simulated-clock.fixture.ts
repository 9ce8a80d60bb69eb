import type { Clock } from "./clock.ts";
import type { Failure, Target } from "./target.ts";

/** A clock whose time only advances while all tasks are waiting. */
export interface SimulatedClock extends Clock {
  /** As in `Clock`; without a signal, it resolves at `time`. */
  until(time: number, signal?: AbortSignal): Promise<void>;
  /** Advances time until `work` is done. */
  run<T>(work: Promise<T>): Promise<T>;
}

export const simulatedClock = (): SimulatedClock => {
  let time = 0;
  let timers: { readonly at: number; readonly wake: () => void }[] = [];
  const until = (at: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (at <= time || signal?.aborted === true) return resolve();
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        timers = timers.filter((timer) => timer.wake !== wake);
        resolve();
      };
      timers.push({ at, wake });
      signal?.addEventListener("abort", wake);
    });
  return {
    now: () => time,
    until,
    run: async (work) => {
      let done = false;
      const end = work.finally(() => (done = true));
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (done) return await end;
        const first = timers.toSorted((a, b) => a.at - b.at)[0];
        if (first === undefined) throw new Error("every task waits forever");
        time = first.at;
        first.wake();
      }
    },
  };
};

/** A server that processes `lanes` requests at a time, each for `serviceMs(start time)`. */
export const simulatedServer = (
  clock: SimulatedClock,
  {
    lanes = Infinity,
    serviceMs,
    fails = () => undefined,
  }: {
    readonly lanes?: number;
    readonly serviceMs: (now: number) => number;
    readonly fails?: (now: number) => Failure | undefined;
  },
): Target & { readonly sent: number[]; readonly opened: () => number } => {
  const sent: number[] = [];
  const queue: (() => void)[] = [];
  let busy = 0;
  let opened = 0;
  return {
    requests: 3,
    sent,
    opened: () => opened,
    open: () => {
      opened++;
      let cut = (): void => {};
      const closed = new Promise<Failure>((resolve) => {
        cut = () => resolve({ status: "connection lost", message: "closed", lost: true });
      });
      const answer = async (): Promise<Failure | undefined> => {
        if (busy >= lanes) await new Promise<void>((resolve) => queue.push(resolve));
        busy++;
        const failure = fails(clock.now());
        if (failure === undefined) await clock.until(clock.now() + serviceMs(clock.now()));
        busy--;
        queue.shift()?.();
        return failure;
      };
      return {
        send: (request) => {
          sent.push(request);
          return Promise.race([answer(), closed]);
        },
        close: () => cut(),
      };
    },
  };
};
