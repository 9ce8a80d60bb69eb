/**
 * Milliseconds before the next start, after this many crashes without a successful execution in between: 0, 100, 200, …
 * 5000.
 */
export const backOff = (crashes: number): number =>
  crashes === 0 ? 0 : Math.min(100 * 2 ** (crashes - 1), 5000);
