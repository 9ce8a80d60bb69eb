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

/** Larger than any difference between readings of the two clocks, unless the wall clock was set. */
const tolerance = 100;

/**
 * Whether a file may have been written since a moment, according to its timestamp or because the clock has been set, which makes timestamps
 * meaningless. A false positive costs a build; a false negative loses an edit.
 */
export const editedSince = (paths: readonly string[], then: Moment, now: Moment = momentNow()): boolean => {
  const wasSet = Math.abs(now.wall - then.wall - (now.steady - then.steady)) > tolerance;
  return paths.some((path) => {
    const stamp = stampOf(path);
    if (stamp === "missing" || stamp.startsWith("folder:")) return false;
    // File timestamps have a low resolution.
    return wasSet || Number(BigInt(stamp.split(":")[1] ?? 0) / 1_000_000n) >= then.wall;
  });
};
