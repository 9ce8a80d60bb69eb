import { exp } from "./exact-exp.ts";
import type { Settings } from "./settings.ts";

/**
 * A token drawn according to its probability. The result depends only on the seed, row and position, regardless of what
 * else runs; it is the same as in Python, which performs the same operations in the same order.
 */
export const draw = (scores: Float64Array, settings: Settings, row: number, made: number): number => {
  const { temperature, top_k: topK, top_p: topP } = settings;
  const tempered = scores.map((score) => score / temperature);
  const at = (token: number): number => tempered[token] as number;
  const least =
    topK > 0 && topK < tempered.length
      ? (tempered.toSorted()[tempered.length - topK] as number)
      : Number.NEGATIVE_INFINITY;
  let tokens: number[] = [];
  tempered.forEach((score, token) => {
    if (score >= least && score > Number.NEGATIVE_INFINITY) tokens.push(token);
  });
  if (topP < 1) {
    const rising = tokens.toSorted((a, b) => at(a) - at(b) || a - b);
    const sums = cumulative(rising.map(at), at(rising.at(-1) as number));
    const share = (1 - topP) * (sums.at(-1) as number);
    tokens = rising
      .filter((_, place) => place === rising.length - 1 || (sums[place] as number) > share)
      .toSorted((a, b) => a - b);
  }
  const kept = tokens.map(at);
  const sums = cumulative(
    kept,
    kept.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
  );
  const target = uniform(settings.seed, row, made) * (sums.at(-1) as number);
  const place = sums.findIndex((sum) => sum > target);
  return tokens.at(place) as number;
};

/** Sums of e^(value - most), added one by one. */
const cumulative = (values: readonly number[], most: number): readonly number[] => {
  let sum = 0;
  return values.map((value) => (sum += exp(value - most)));
};

/** A number in [0, 1), computed from its index with SplitMix64's mixing function. */
const uniform = (seed: bigint, row: number, made: number): number => {
  const mixed = mix(mix(mix(seed) + BigInt(row)) + BigInt(made));
  return Number(mixed >> 11n) / 2 ** 53;
};

const mix = (value: bigint): bigint => {
  let mixed = BigInt.asUintN(64, value + 0x9e3779b97f4a7c15n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
};
