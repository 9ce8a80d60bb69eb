import { stampOf } from "./input-stamps.ts";

/** A moment on both clocks, in milliseconds: times of files come from the one that may be set, and the other shows whether it was. */
export interface Moment {
  /** As `Date.now()`. */
  readonly wall: number;
  /** As `performance.now()`. */
  readonly steady: number;
}

export const momentNow = (): Moment => ({ wall: Date.now(), steady: performance.now() });

/** Larger than the difference of two readings unless the clock is set. */
const tolerance = 100;

/**
 * Whether a file may have been written since a moment: its time says so, or times say nothing since the clock has been set.
 * A wrong yes costs one build, a wrong no an edit.
 */
export const editedSince = (paths: readonly string[], then: Moment, now: Moment = momentNow()): boolean => {
  const wasSet = Math.abs(now.wall - then.wall - (now.steady - then.steady)) > tolerance;
  return paths.some((path) => {
    const stamp = stampOf(path);
    if (stamp === "missing" || stamp.startsWith("folder:")) return false;
    // Clocks of file systems are coarse.
    return wasSet || Number(BigInt(stamp.split(":")[1] ?? 0) / 1_000_000n) >= then.wall;
  });
};
