import { stampOf } from "./input-stamps.ts";

/**
 * A point in time on both clocks, in milliseconds. File times use the wall clock, which may be adjusted; the
 * monotonic clock reveals whether it was.
 */
export interface Moment {
  /** Like `Date.now()`. */
  readonly wall: number;
  /** Like `performance.now()`. */
  readonly steady: number;
}

export const momentNow = (): Moment => ({ wall: Date.now(), steady: performance.now() });

/** Larger than any difference between two readings, unless the clock was set. */
const tolerance = 100;

/**
 * Whether a file may have been written since a moment: because of its time, or because times are meaningless after the clock has
 * been set. A false positive costs a build; a false negative loses an edit.
 */
export const editedSince = (paths: readonly string[], then: Moment, now: Moment = momentNow()): boolean => {
  const wasSet = Math.abs(now.wall - then.wall - (now.steady - then.steady)) > tolerance;
  return paths.some((path) => {
    const stamp = stampOf(path);
    if (stamp === "missing" || stamp.startsWith("folder:")) return false;
    // File timestamps are coarse.
    return wasSet || Number(BigInt(stamp.split(":")[1] ?? 0) / 1_000_000n) >= then.wall;
  });
};
