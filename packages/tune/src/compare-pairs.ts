import { meanOf } from "@tritype/core";

/** The ratio between two candidates, from pairs of slices measured one after the other. */
export interface Comparison {
  /** Number of pairs. */
  readonly pairs: number;
  /** Geometric mean of the pairs' ratios. */
  readonly ratio: number;
  /** 95 % confidence interval of the ratio; 0 and Infinity for fewer than two pairs. */
  readonly low: number;
  readonly high: number;
}

export type Verdict = "better" | "not better" | "undecided";

/** Differences below this are not worth a setting. */
const leastGain = 1.02;

/**
 * Compares by pairs: the speed of a machine drifts by a quarter within minutes, but hardly between two consecutive slices.
 * @param ratios Score of the candidate over the score of the other, one for each pair.
 * @param start The comparison of the start with itself, which shows how much pairs differ. Three pairs often agree by chance.
 */
export const comparePairs = (ratios: readonly number[], start?: Comparison): Comparison => {
  const logs = ratios.map((ratio) => Math.log(ratio));
  const pairs = logs.length;
  const mean = meanOf(logs);
  const known = start === undefined ? noSpread : spreadOf(start);
  const degrees = pairs - 1 + known.degrees;
  if (pairs < 2) return { pairs, ratio: Math.exp(mean), low: 0, high: Number.POSITIVE_INFINITY };
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) + known.squares;
  const half = studentT(degrees) * Math.sqrt(squares / degrees / pairs);
  return { pairs, ratio: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
};

/** The sum of squares behind an interval, and its degrees of freedom. */
interface Spread {
  readonly squares: number;
  readonly degrees: number;
}
const noSpread: Spread = { squares: 0, degrees: 0 };

const spreadOf = ({ pairs, ratio, high }: Comparison): Spread => {
  const degrees = pairs - 1;
  if (degrees < 1) return noSpread;
  return { degrees, squares: (Math.log(high / ratio) / studentT(degrees)) ** 2 * pairs * degrees };
};

/** Whether the interval decides; "undecided" needs more pairs. */
export const judge = ({ ratio, low, high }: Comparison): Verdict =>
  low > 1 && ratio >= leastGain ? "better" : high < leastGain ? "not better" : "undecided";

/**
 * Whether a comparison that stayed undecided is probably a gain: the 80 % interval excludes 1. It has 0.6 of the width of the
 * 95 % interval with eight pairs or more.
 */
export const isLikely = ({ ratio, low }: Comparison): boolean =>
  ratio >= leastGain && ratio * (low / ratio) ** 0.6 > 1;

/** Half of the interval's width, as a share: 0.1 for a ratio that is known to about 10 %. */
export const uncertainty = ({ ratio, low, high }: Comparison): number => (high - low) / 2 / ratio;

/** Two-sided 95 % quantiles of Student's t distribution, by degrees of freedom. */
const quantiles: readonly number[] = [
  12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13,
];
const studentT = (degrees: number): number => quantiles[degrees - 1] ?? 2.08;
