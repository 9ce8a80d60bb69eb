import { otherSettings } from "./knob.ts";
import type { Trial } from "./tune-state.ts";

/** A measured candidate, relative to the first one. */
export interface RelativeTrial {
  readonly label: string;
  readonly perSecond: number;
  /** Under the second load. */
  readonly latencyMs: number;
}

/**
 * Candidates with comparable figures: the first one's requests per second, times the ratios along the chain of comparisons. The speed
 * of the machine at the time of a measurement cancels out.
 */
export const relativeTrials = (trials: readonly Trial[]): readonly RelativeTrial[] => {
  const known = new Map<string, number>();
  return trials.flatMap(({ point, against, main, other, side, verdict }) => {
    if (main === undefined || other === undefined || side === undefined) return [];
    const before = known.get(against) ?? other.perSecond;
    const perSecond = verdict === "start" ? main.perSecond : before * (main.perSecond / other.perSecond);
    if (!known.has(point)) known.set(point, perSecond);
    const label = otherSettings(point, trials[0]?.point ?? "");
    return [{ label: label === "" ? "as they are" : label, perSecond, latencyMs: side.p50 }];
  });
};

/** The candidates that no other candidate beats in both requests per second and latency, sorted by latency. */
export const paretoFront = (trials: readonly RelativeTrial[]): readonly RelativeTrial[] =>
  trials
    .filter((one) =>
      trials.every(
        (other) =>
          other === one ||
          other.perSecond < one.perSecond ||
          other.latencyMs > one.latencyMs ||
          (other.perSecond === one.perSecond && other.latencyMs === one.latencyMs),
      ),
    )
    .toSorted((a, b) => a.latencyMs - b.latencyMs);
