import { poissonGaps, random } from "@tritype/core";
import { decideBatch } from "@tritype/triton";
import { createMeasurement, type Simulated, type SimulatedLoad } from "./measurement.ts";
import { minHeap } from "./min-heap.ts";
import { createPassage } from "./passage.ts";
import { createProcessors } from "./processors.ts";
import { createQueue, type Queue, type Request, type Waiting } from "./queue.ts";
import { replay } from "./replay.ts";
import { pauseOf, quantileAt, timeOf } from "./service-times.ts";
import type { SimulatedStep, System } from "./system.ts";

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
export const simulate = (system: System, load: SimulatedLoad): Simulated => {
  const { steps, kinds, cores, outside, pace = [] } = system;
  const { rate, requests, seed } = load;
  const [gap, kindOf, chance] = [poissonGaps(rate, seed), random(seed + 1), random(seed + 2)];
  const recorded = pace.length === 0 ? undefined : replay(pace, chance(), (requests / rate) * 1_000_000);
  const share = (): number => recorded?.(now) ?? chance();
  const followers = steps.map((_, index) =>
    steps.flatMap(({ after }, next) => (after.includes(index) ? [next] : [])),
  );
  const roots = steps.flatMap(({ after }, step) => (after.length === 0 ? [step] : []));
  const missing = steps.map(({ after }) => after.length);
  const processors = createProcessors();
  const timers = minHeap<() => void>();
  const later = (us: number, then: () => void): void => timers.push(now + us, then);
  const passage = createPassage(outside.processor, cores, later);
  const queues = system.stations.map(createQueue);
  const changed = new Set<Queue>();
  const measurement = createMeasurement(load, cores, queues);
  let now = 0;
  let nextArrival = 0;
  let lastBusy = 0;

  const free = (): number => cores - passage.busy();

  const advance = (time: number): void => {
    const passed = time - now;
    if (passage.busy() > 0 || queues.some(({ running }) => running > 0)) lastBusy = time;
    measurement.advance(passed, processors.wanted() + passage.busy());
    processors.advance(passed, free());
    now = time;
  };

  const arrive = (): void => {
    const kind = Math.floor(kindOf() * kinds.length);
    const request: Request = {
      kind,
      arrived: now,
      counts: measurement.arrive(now),
      missing: [...missing],
      unfinished: steps.length,
    };
    nextArrival = measurement.expectsMore() ? now + gap() * 1_000_000 : Number.POSITIVE_INFINITY;
    const enter = (): void => {
      for (const step of roots) enqueue(request, step);
    };
    const { us, idle = us } = outside;
    const times = now - lastBusy < idleTime ? us : idle;
    const delay = times.length === 0 ? 0 : quantileAt(times, share()) - outside.processor;
    passage.pass(delay > 0 ? () => later(delay, enter) : enter);
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

  /** The time of a batch, and how long it waits at its beginning without using a processor. */
  const timesOf = (batch: readonly Waiting[], rows: number): readonly [us: number, pause: number] => {
    const at = share();
    let [us, pause] = [0, 0];
    const seen = new Set<readonly unknown[]>();
    for (const { step, request } of batch) {
      const times = steps[step]?.times[request.kind] ?? [];
      // In a batch of several lengths, the longest determines the time.
      const longest = seen.has(times) ? 0 : timeOf(times, rows, at);
      if (longest > us) [us, pause] = [longest, Math.min(longest, pauseOf(times, rows))];
      seen.add(times);
    }
    return [us, pause];
  };

  const execute = (queue: Queue, batch: readonly Waiting[]): void => {
    const { threads, maxBatchSize } = queue.station;
    const rows = batch.reduce((sum, { batchSize }) => sum + batchSize, 0);
    // A model without batches was measured with whole requests.
    const [us, pause] = timesOf(batch, maxBatchSize > 0 ? rows : 1);
    queue.remove(batch.length);
    queue.running++;
    queue.executions++;
    queue.rows += rows;
    for (const { request, enqueuedAt } of batch) {
      if (!request.counts) continue;
      queue.waited += now - enqueuedAt;
      queue.requests++;
    }
    const end = (): void => {
      queue.running--;
      changed.add(queue);
      for (const { request, step } of batch) finish(request, step);
    };
    const work = (): void =>
      threads === 0 ? later(us - pause, end) : processors.start(threads, us - pause, end);
    if (pause > 0) later(pause, work);
    else work();
  };

  const finish = (request: Request, step: number): void => {
    for (const next of followers[step] ?? []) {
      const left = (request.missing[next] ?? 0) - 1;
      request.missing[next] = left;
      if (left === 0) enqueue(request, next);
    }
    request.unfinished--;
    if (request.unfinished === 0) measurement.answer(request, now);
  };

  while (!measurement.isLate()) {
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
  return measurement.result();
};
