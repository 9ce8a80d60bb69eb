import { capacityOf, holds, type Limit, simulateAlone, simulateAt } from "./capacity.ts";
import type { Simulated } from "./measurement.ts";
import type { System } from "./system.ts";

/** The load that a plan is for: requests per second to all servers together, and the latency limit. */
export interface Demand extends Limit {
  readonly rate: number;
}

/** The number of servers that can handle a load. */
export interface Plan {
  readonly kind: "plan";
  readonly replicas: number;
  /** Requests per second that one server answers within the limit. */
  readonly capacity: number;
  /** One of the servers with its share of the load. */
  readonly server: Simulated;
}

/** The reason why no number of servers meets the limit. Milliseconds. */
export interface NoPlan {
  readonly kind: "none";
  /**
   * "service": a single request takes too long. "delay": it takes too long because batches wait for other requests.
   * "queue": only servers that are nearly always idle would answer in time.
   */
  readonly why: "service" | "delay" | "queue";
  /** The time of a single request, without the delays of batches. */
  readonly alone: number;
  /** The slowest model, and its longest time for a single request. */
  readonly slowest: { readonly model: string; readonly milliseconds: number };
  /** The longest time that a batch may be delayed. */
  readonly delay: number;
}

/**
 * The smallest number of servers that can handle the load. Each server gets its share of the requests at random times,
 * as behind a load balancer that does not know their queues.
 * @param near The capacity of a similar system, with which the search begins.
 */
export const findPlan = (system: System, demand: Demand, near?: number): Plan | NoPlan => {
  const capacity = capacityOf(system, demand, near);
  if (capacity === undefined) return noPlan(system, demand);
  const fewest = Math.max(1, Math.ceil(demand.rate / capacity));
  // The capacity is exact to 3 %.
  for (let replicas = fewest; replicas <= fewest + 1 + Math.ceil(fewest / 30); replicas++) {
    const rate = demand.rate / replicas;
    const server = simulateAt(system, rate, demand);
    if (holds(server, demand)) return { kind: "plan", replicas, capacity, server };
  }
  return noPlan(system, demand);
};

const noPlan = (system: System, { p99, seed }: Demand): NoPlan => {
  const alone = simulateAlone(system, seed).p99;
  const [slowest = { model: "", milliseconds: 0 }] = system.steps
    .map(({ station }, step) => ({
      model: system.stations[station]?.model ?? "",
      milliseconds: simulateAlone(onlyStep(system, step), seed).p99,
    }))
    .toSorted((a, b) => b.milliseconds - a.milliseconds);
  const delay = Math.max(0, ...system.stations.map(({ batching }) => (batching?.delay ?? 0) / 1000));
  return {
    kind: "none",
    why: alone > p99 ? "service" : delay > 0 ? "delay" : "queue",
    alone,
    slowest,
    delay,
  };
};

const onlyStep = (system: System, index: number): System => ({
  ...system,
  steps: system.steps.filter((_, at) => at === index).map((step) => ({ ...step, after: [] })),
  outside: { us: [], processor: 0 },
});
