import { simulate, type Simulated } from "./simulate.ts";
import type { System } from "./system.ts";

export interface Limit {
  /** The time within which 99 % of the requests must be answered, in milliseconds. */
  readonly p99: number;
  readonly seed: number;
}

/** Whether a server that gets `rate` requests a second answers as many, and 99 % of them in time. */
export const holds = ({ perSecond, p99 }: Simulated, rate: number, limit: Limit): boolean =>
  p99 <= limit.p99 && perSecond >= 0.97 * rate;

/**
 * Simulates long enough that a queue that grows exceeds the limit. If the limit is exceeded, only `p99` is certain: it
 * is infinite.
 */
export const simulateAt = (system: System, rate: number, { p99, seed }: Limit): Simulated => {
  const span = (10 * rate * p99) / 1000;
  const requests = Math.round(Math.min(40_000, Math.max(10_000, span)));
  return simulate(system, { rate, requests, seed, limit: p99 });
};

/** One request at a time, and no batch waits for another request. */
export const simulateAlone = (system: System, seed: number): Simulated => {
  const stations = system.stations.map((one) =>
    one.batching === undefined ? one : { ...one, batching: { ...one.batching, delay: 0 } },
  );
  return simulate({ ...system, stations }, { rate: 1e-3, requests: 2000, seed });
};

/** Rates that are tried, as powers of two of the first one. */
const [lowest, highest] = [-8, 12];
/** Halvings of the interval between a rate that holds and one that does not: 1.5 % remains. */
const halvings = 6;

/**
 * The largest number of requests per second that one server answers within the limit; undefined if there is none.
 * @param first The rate to try first. Default: that of requests that run one after the other.
 */
export const capacityOf = (system: System, limit: Limit, first?: number): number | undefined => {
  const alone = simulateAlone(system, limit.seed);
  if (alone.p99 > limit.p99) return undefined;
  const base = first ?? 1000 / alone.mean;
  const held = (rate: number): boolean => holds(simulateAt(system, rate, limit), rate, limit);
  let [most, fails] = [0, 0];
  // Below the rates that hold, a batch may wait too long for other requests: both directions are tried.
  for (let power = 0; power <= highest && fails <= most; power++) {
    const rate = base * 2 ** power;
    if (held(rate)) most = rate;
    else if (most > 0) fails = rate;
  }
  for (let power = -1; power >= lowest && most === 0; power--) {
    const rate = base * 2 ** power;
    if (held(rate)) [most, fails] = [rate, 2 * rate];
  }
  for (let i = 0; i < halvings && fails > most; i++) {
    const rate = (most + fails) / 2;
    if (held(rate)) most = rate;
    else fails = rate;
  }
  return most === 0 ? undefined : most;
};
