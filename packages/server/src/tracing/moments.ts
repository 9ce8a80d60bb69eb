/** Nanoseconds of the machine's monotonic clock at the origin of `performance.now()`. */
const origin = process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6));

/** The current time, in microseconds of the runtime's clock. */
export const now = (): number => performance.now() * 1000;

/** A time of the runtime's clock in nanoseconds of the machine's monotonic clock, as Triton writes it. */
export const monotonicNs = (at: number): bigint => origin + BigInt(Math.round(at * 1000));

/** A time of the runtime's clock as seconds and nanoseconds since 1970. */
export const epochTime = (at: number): [number, number] => {
  const milliseconds = performance.timeOrigin + at / 1000;
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
};
