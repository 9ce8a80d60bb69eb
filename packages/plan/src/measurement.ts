import { meanOf, percentile } from "@tritype/core";
import type { Queue, Request } from "./queue.ts";

export interface SimulatedLoad {
  /** Requests per second, which arrive at random times (a Poisson process). */
  readonly rate: number;
  /** Number of requests. The first tenth warms the server up and does not count. */
  readonly requests: number;
  readonly seed: number;
  /**
   * Milliseconds. The simulation ends as soon as more than 1 % of the requests have taken longer; its `p99` is then
   * infinite, and the other results are those until then. Default: no limit.
   */
  readonly limit?: number;
}

/** The results of a simulated server. Latencies in milliseconds. */
export interface Simulated {
  /** Answers per second. */
  readonly perSecond: number;
  /** Requests per second that arrived: by chance, not exactly the rate of the load. */
  readonly arrivalsPerSecond: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  /** The fraction of the processors that was busy. */
  readonly processors: number;
  readonly stations: readonly SimulatedStation[];
}

export interface SimulatedStation {
  readonly model: string;
  /** The fraction of the time in which an instance was busy, averaged over the instances. */
  readonly utilization: number;
  /** Mean number of rows per execution. */
  readonly batch: number;
  /** Mean time that a request waited for its execution, in milliseconds. */
  readonly queued: number;
}

/** Counts what happens between the arrivals of the first and the last request that count. */
export const createMeasurement = (
  { requests, limit = Number.POSITIVE_INFINITY }: SimulatedLoad,
  cores: number,
  queues: readonly Queue[],
) => {
  const warm = Math.floor(requests / 10);
  const mostLate = Math.floor((requests - warm) / 100);
  const latencies: number[] = [];
  let [from, to, arrived, answered, late, busyProcessors] = [0, 0, 0, 0, 0, 0];
  const isOn = (): boolean => arrived > warm && arrived < requests;
  const isLate = (): boolean => late > mostLate;
  return {
    /** Whether the request that arrives now counts. */
    arrive: (now: number): boolean => {
      if (arrived === warm) from = now;
      to = now;
      return arrived++ >= warm;
    },
    expectsMore: (): boolean => arrived < requests,
    /** Lets time pass in which so many processors are busy. */
    advance: (passed: number, busy: number): void => {
      if (!isOn()) return;
      busyProcessors += Math.min(cores, busy) * passed;
      for (const queue of queues) queue.busy += queue.running * passed;
    },
    answer: (request: Request, now: number): void => {
      if (isOn()) answered++;
      if (!request.counts) return;
      const latency = (now - request.arrived) / 1000;
      latencies.push(latency);
      if (latency > limit) late++;
    },
    /** Whether more than 1 % of the requests have taken longer than the limit. */
    isLate: (): boolean => isLate(),
    result: (): Simulated => {
      const measured = to - from;
      const sorted = latencies.toSorted((a, b) => a - b);
      return {
        perSecond: (answered / measured) * 1_000_000,
        arrivalsPerSecond: ((arrived - warm - 1) / measured) * 1_000_000,
        mean: meanOf(latencies),
        p50: percentile(sorted, 0.5),
        p99: isLate() ? Number.POSITIVE_INFINITY : percentile(sorted, 0.99),
        processors: busyProcessors / measured / cores,
        stations: queues.map(({ station, busy, rows, executions, waited, requests: count }) => ({
          model: station.model,
          utilization: busy / measured / station.instances,
          batch: rows / Math.max(1, executions),
          queued: waited / Math.max(1, count) / 1000,
        })),
      };
    },
  };
};
