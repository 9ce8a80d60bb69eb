export interface Stats {
  low: number;
  high: number;
  mean: number;
}
export const FACTOR = 3;
const clamp = (x: number): number => (x < 0 ? 0 : x);

export function average(xs: readonly number[]): number {
  return xs.length === 0 ? 0 : xs.reduce((a, b) => a + b, 0) / xs.length;
}
export const weighted = (x: number, weight: number): number => clamp(x) * weight;
export function summary(xs: readonly number[]): Stats {
  return { low: Math.min(...xs), high: Math.max(...xs), mean: average(xs) };
}
