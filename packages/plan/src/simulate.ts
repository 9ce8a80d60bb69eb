import { meanOf, percentile, poissonGaps, random } from "@tritype/core";
import { decideBatch } from "@tritype/triton";
import { minHeap } from "./min-heap.ts";
import { createProcessors } from "./processors.ts";
import { createQueue, type Queue, type Request, type Waiting } from "./queue.ts";
import { pauseOf, quantileAt, timeOf } from "./service-times.ts";
import type { SimulatedStep, System } from "./system.ts";

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

/**
 * A server that was idle for so long, in microseconds, is slower for its next request: its processors sleep and their caches hold the data of
 * others (measured on a real Triton, decision 68).
 */
export const idleTime = 5000;

/**
 * Simulates one server event by event. Batches form by the scheduler's own decisions. Executions on a CPU wait
 * for each other while they need more processors than there are; those on a GPU do not. The same arguments give the same
 * result.
 */
export const simulate = (
  system: System,
  { rate, requests, seed, limit = Number.POSITIVE_INFINITY }: SimulatedLoad,
): Simulated => {
  const { steps, kinds, cores, outside } = system;
  const [gap, kindOf, share] = [poissonGaps(rate, seed), random(seed + 1), random(seed + 2)];
  const followers = steps.map((_, index) =>
    steps.flatMap(({ after }, next) => (after.includes(index) ? [next] : [])),
  );
  const roots = steps.flatMap(({ after }, step) => (after.length === 0 ? [step] : []));
  const missing = steps.map(({ after }) => after.length);
  const processors = createProcessors();
  const timers = minHeap<() => void>();
  const queues = system.stations.map(createQueue);
  const changed = new Set<Queue>();
  /** Requests that wait for a processor outside the models, and the number of those that have one. */
  const arriving: (() => void)[] = [];
  let passing = 0;
  let lastBusy = 0;
  const latencies: number[] = [];
  const warm = Math.floor(requests / 10);
  const mostLate = Math.floor((requests - warm) / 100);
  let now = 0;
  let arrived = 0;
  let answered = 0;
  let nextArrival = 0;
  let measuredFrom = 0;
  let measuredTo = 0;
  let busyProcessors = 0;
  let late = 0;

  // Work outside the models is short and spread over many threads: schedulers let it go first.
  const free = (): number => cores - passing;
  const measures = (): boolean => arrived > warm && arrived < requests;

  const advance = (time: number): void => {
    const passed = time - now;
    if (passing > 0 || queues.some(({ running }) => running > 0)) lastBusy = time;
    if (measures()) {
      busyProcessors += Math.min(cores, processors.wanted() + passing) * passed;
      for (const queue of queues) queue.busy += queue.running * passed;
    }
    processors.advance(passed, free());
    now = time;
  };

  const start = (threads: number, us: number, end: () => void): void => {
    if (threads === 0) timers.push(now + us, end);
    else processors.start(threads, us, end);
  };

  const arrive = (): void => {
    const kind = Math.floor(kindOf() * kinds.length);
    const request: Request = {
      kind,
      arrived: now,
      counts: arrived >= warm,
      missing: [...missing],
      unfinished: steps.length,
    };
    arrived++;
    if (arrived === warm + 1) measuredFrom = now;
    measuredTo = now;
    nextArrival = arrived < requests ? now + gap() * 1_000_000 : Number.POSITIVE_INFINITY;
    const enter = (): void => {
      for (const step of roots) enqueue(request, step);
    };
    const { us, idle = us } = outside;
    const times = now - lastBusy < idleTime ? us : idle;
    const delay = times.length === 0 ? 0 : quantileAt(times, share()) - outside.processor;
    passOutside(delay > 0 ? () => start(0, delay, enter) : enter);
  };

  const passOutside = (next: () => void): void => {
    if (outside.processor === 0) {
      next();
      return;
    }
    if (passing === cores) {
      arriving.push(next);
      return;
    }
    passing++;
    timers.push(now + outside.processor, () => {
      passing--;
      const first = arriving.shift();
      if (first !== undefined) passOutside(first);
      next();
    });
  };

  const enqueue = (request: Request, step: number): void => {
    const { station, rows = kinds } = steps[step] as SimulatedStep;
    const queue = queues[station] as Queue;
    queue.push({
      request,
      step,
      batchSize: rows[request.kind] ?? 1,
      enqueuedAt: now,
      timeoutAt: Number.POSITIVE_INFINITY,
    });
    changed.add(queue);
  };

  const mergeable = (first: Waiting, next: Waiting): boolean => shapeOf(first) === shapeOf(next);
  const shapeOf = ({ step, request }: Waiting): string => steps[step]?.shapes[request.kind] ?? "";

  const startBatches = (queue: Queue): void => {
    const { station } = queue;
    while (queue.running < station.instances && queue.size() > 0) {
      const decision =
        station.batching === undefined
          ? queue.first()
          : decideBatch(queue.entries(), station.batching, mergeable, now);
      if (decision.kind === "wait") {
        if (queue.wakes !== decision.until)
          timers.push(decision.until, () => {
            changed.add(queue);
          });
        queue.wakes = decision.until;
        return;
      }
      execute(queue, decision.batch);
    }
  };

  const execute = (queue: Queue, batch: readonly Waiting[]): void => {
    queue.remove(batch.length);
    queue.running++;
    const rows = batch.reduce((sum, { batchSize }) => sum + batchSize, 0);
    // A model without batches was measured with whole requests.
    const timedRows = queue.station.maxBatchSize > 0 ? rows : 1;
    const at = share();
    let [us, pause] = [0, 0];
    const seen = new Set<readonly unknown[]>();
    for (const { step, request, enqueuedAt } of batch) {
      const times = steps[step]?.times[request.kind] ?? [];
      // In a batch of several lengths, the longest determines the time.
      const longest = seen.has(times) ? 0 : timeOf(times, timedRows, at);
      if (longest > us) [us, pause] = [longest, Math.min(longest, pauseOf(times, timedRows))];
      seen.add(times);
      if (!request.counts) continue;
      queue.waited += now - enqueuedAt;
      queue.requests++;
    }
    queue.executions++;
    queue.rows += rows;
    const end = (): void => {
      queue.running--;
      changed.add(queue);
      for (const { request, step } of batch) finish(request, step);
    };
    const work = (): void => {
      start(queue.station.threads, us - pause, end);
    };
    if (pause > 0) timers.push(now + pause, work);
    else work();
  };

  const finish = (request: Request, step: number): void => {
    for (const next of followers[step] ?? []) {
      const left = (request.missing[next] ?? 0) - 1;
      request.missing[next] = left;
      if (left === 0) enqueue(request, next);
    }
    request.unfinished--;
    if (request.unfinished > 0) return;
    if (measures()) answered++;
    if (!request.counts) return;
    const latency = (now - request.arrived) / 1000;
    latencies.push(latency);
    if (latency > limit) late++;
  };

  for (;;) {
    if (late > mostLate) break;
    const changes = processors.nextChange(now, free());
    const next = Math.min(nextArrival, timers.firstKey(), changes);
    // All events at the same time are processed before batches form.
    if (next > now) {
      for (const queue of changed) startBatches(queue);
      if (changed.size > 0) {
        changed.clear();
        continue;
      }
    }
    if (next === Number.POSITIVE_INFINITY) break;
    advance(Math.max(now, next));
    if (next === nextArrival) arrive();
    else if (next === changes) processors.change();
    else timers.pop()?.();
  }

  const measured = measuredTo - measuredFrom;
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    perSecond: (answered / measured) * 1_000_000,
    arrivalsPerSecond: ((arrived - warm - 1) / measured) * 1_000_000,
    mean: meanOf(latencies),
    p50: percentile(sorted, 0.5),
    p99: late > mostLate ? Number.POSITIVE_INFINITY : percentile(sorted, 0.99),
    processors: busyProcessors / measured / cores,
    stations: queues.map(({ station, busy, rows, executions, waited, requests: count }) => ({
      model: station.model,
      utilization: busy / measured / station.instances,
      batch: rows / Math.max(1, executions),
      queued: waited / Math.max(1, count) / 1000,
    })),
  };
};
