import { type EventLoopUtilization, performance } from "node:perf_hooks";

/** Milliseconds over which the utilization is measured. */
const interval = 100;
/** A loop that waits counts as idle from the first utilization down, and until the second. */
const idleBelow = 0.5;
const idleUntil = 0.95;

type Read = (current?: EventLoopUtilization, earlier?: EventLoopUtilization) => EventLoopUtilization;

/**
 * Whether the event loop of this thread mostly waits for others. Once idle, it stays so until it hardly ever waits: work that is moved
 * here for that reason does not move back because of the time that it takes itself.
 */
export const idleLoop = (
  read: Read = performance.eventLoopUtilization,
  now: () => number = () => performance.now(),
): (() => boolean) => {
  let last = read();
  let at = now();
  let idle = false;
  return () => {
    if (now() - at < interval) return idle;
    const current = read();
    idle = read(current, last).utilization < (idle ? idleUntil : idleBelow);
    [last, at] = [current, now()];
    return idle;
  };
};
