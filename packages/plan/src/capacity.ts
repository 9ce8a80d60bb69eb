import type { Simulated } from "./measurement.ts";
import { simulate } from "./simulate.ts";
import type { System } from "./system.ts";

export interface Limit {
  /** The time within which 99 % of the requests must be answered, in milliseconds. */
  readonly p99: number;
  readonly seed: number;
}

/** Whether a server answers as many requests per second as arrive, and 99 % of them in time. */
export const holds = ({ perSecond, arrivalsPerSecond, p99 }: Simulated, limit: Limit): boolean =>
  p99 <= limit.p99 && perSecond >= 0.97 * arrivalsPerSecond;

/**
 * If the limit is exceeded, only `p99` is meaningful: it is infinite. A queue that grows too slowly to exceed the limit shows in the
 * answers per second.
 */
export const simulateAt = (system: System, rate: number, { p99, seed }: Limit): Simulated =>
  simulate(system, { rate, requests: 10_000, seed, limit: p99 });

/** Requests run one at a time, and no batch waits for another request. */
export const simulateAlone = (system: System, seed: number): Simulated => {
  const stations = system.stations.map((one) =>
    one.batching === undefined ? one : { ...one, batching: { ...one.batching, delay: 0 } },
  );
  return simulate({ ...system, stations }, { rate: 1e-3, requests: 2000, seed });
};

/** Doublings and halvings of the first rate that are tried. */
const farthest = 10;
/** Halvings of the interval between a rate that can be handled and one that cannot: 3 % remains. */
const halvings = 5;

/**
 * The largest number of requests per second that one server answers within the limit; undefined if there is none.
 * @param first The rate to try first. Default: that of requests that run one after the other.
 */
export const capacityOf = (system: System, limit: Limit, first?: number): number | undefined => {
  const alone = simulateAlone(system, limit.seed);
  if (alone.p99 > limit.p99) return undefined;
  const base = first ?? 1000 / alone.mean;
  const held = byRate((rate) => holds(simulateAt(system, rate, limit), limit));
  // At a low rate, a batch may wait too long for other requests, so both directions are tried.
  const tried = Array.from(
    { length: 2 * farthest + 1 },
    (_, i) => base * 2 ** (i % 2 === 0 ? i / 2 : -(i + 1) / 2),
  );
  let most = tried.find(held);
  if (most === undefined) return undefined;
  let fails = 2 * most;
  for (; fails < base * 2 ** (2 * farthest) && held(fails); fails *= 2) most = fails;
  for (let i = 0; i < halvings; i++) {
    const rate: number = (most + fails) / 2;
    if (held(rate)) most = rate;
    else fails = rate;
  }
  return most;
};

const byRate = (of: (rate: number) => boolean): ((rate: number) => boolean) => {
  const known = new Map<number, boolean>();
  return (rate) => {
    const result = known.get(rate) ?? of(rate);
    known.set(rate, result);
    return result;
  };
};
