/**
 * e to the power of a value that is at most 0, computed with operations that IEEE 754 rounds the same everywhere:
 * `Math.exp` and NumPy's `exp` differ in the last digit.
 */
export const exp = (value: number): number => {
  const bounded = Math.max(value, -700);
  const power = Math.floor(bounded * Math.LOG2E + 0.5);
  const rest = bounded - power * 0.6931471803691238 - power * 1.9082149292705877e-10;
  let result = 0;
  for (const coefficient of series) result = result * rest + coefficient;
  return result * (halves[-power] as number);
};

/** 1/13!, …, 1/1!, 1. */
const series: readonly number[] = [
  6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1,
].map((factorial) => 1 / factorial);

/** 2^-i; each is exact. */
const halves: readonly number[] = Array.from({ length: 1012 }, (_, power) => 2 ** -power);
