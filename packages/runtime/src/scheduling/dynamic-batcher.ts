import { invariant, PipelineError } from "@tritype/core";
import { batchLimits, decideBatch } from "@tritype/triton";
import type { ModelRequest, ModelResult } from "../backend.ts";
import { batchRows } from "./batch-rows.ts";
import { cancelled, onAbort } from "./cancellation.ts";
import { executeBatch, stopping } from "./execute-batch.ts";
import { createMergeRule } from "./merge-rule.ts";
import { asTheyAre, repliesInOrder } from "./replies-in-order.ts";
import { createRequestQueue, timedOut, type Waiting } from "./request-queue.ts";
import type { Scheduler, SchedulerOptions } from "./scheduler.ts";

export interface DynamicBatcherOptions extends SchedulerOptions {
  /** When a request began to wait, in microseconds, if that was before it reached this batcher. */
  readonly arrival?: (request: ModelRequest) => number | undefined;
}

/**
 * Requests run in batches that form while all instances are busy, or while the oldest request may still wait. Source:
 * `DynamicBatchScheduler` of Triton core, with one difference: a batch forms when an instance is free to run it, so
 * that a request of higher priority never waits behind a batch that waits for an instance.
 */
export const createDynamicBatcher = (options: DynamicBatcherOptions): Scheduler => {
  const { model, config, clock, observer, arrival } = options;
  const { name = "", dynamic_batching: batching, max_batch_size: maxBatchSize = 0 } = config;
  invariant(batching !== undefined, `${name} has no dynamic_batching`);
  const limits = batchLimits(config);
  const mayMerge = createMergeRule(config);
  const mergeable = (first: Waiting, next: Waiting): boolean => mayMerge(first.request, next.request);
  const instances = model.instances ?? Number.POSITIVE_INFINITY;
  const queue = createRequestQueue(batching);
  const preserves = batching.preserve_ordering === true;
  const release = preserves ? inOrder() : atOnce;
  const withReplies = preserves ? repliesInOrder(clock) : asTheyAre;
  let running = 0;
  let closed = false;
  let drained: (() => void) | undefined;
  let callOff: (() => void) | undefined;
  let planned = false;
  const isFree = (): boolean => running < instances && model.readiness?.now() !== false;

  const plan = (): void => {
    if (planned) return;
    planned = true;
    clock.soon(() => {
      planned = false;
      startBatches();
    });
  };

  const startBatches = (): void => {
    callOff?.();
    callOff = undefined;
    for (const late of queue.expire(clock.now(), isFree())) reject(late, timedOut());
    for (let batch = nextBatch(); batch !== undefined; batch = nextBatch()) {
      queue.remove(new Set(batch));
      for (const { started } of batch) started();
      void execute(batch);
    }
    if (queue.size() > 0) wakeForTimeout();
    else if (running === 0) drained?.();
  };

  /** Requests that can run now; otherwise a timer is set for the time when they can. */
  const nextBatch = (): readonly Waiting[] | undefined => {
    if (queue.size() === 0 || !isFree()) return undefined;
    const decision = decideBatch(queue.entries(), limits, mergeable, clock.now());
    if (decision.kind === "send") return decision.batch;
    callOff = clock.at(decision.until, startBatches);
    return undefined;
  };

  const hasPreferredBatch = (): boolean => {
    if (queue.size() === 0) return false;
    const decision = decideBatch(queue.entries(), limits, mergeable, clock.now());
    if (decision.kind === "wait") return false;
    return limits.preferred.includes(decision.batch.reduce((rows, { batchSize }) => rows + batchSize, 0));
  };

  /** While no instance is free, only a timeout can change the queue. */
  const wakeForTimeout = (): void => {
    if (callOff !== undefined) return;
    const closest = queue.closestTimeout();
    if (Number.isFinite(closest)) callOff = clock.at(closest + 1, startBatches);
  };

  const reject = (waiting: Waiting, error: PipelineError): void => {
    waiting.started();
    observer.rejected?.(waiting.batchSize);
    waiting.resolve({ error });
  };

  const execute = async (batch: readonly Waiting[]): Promise<void> => {
    running++;
    const startedAt = clock.now();
    const done = release(batch);
    const { requests, end } = withReplies(batch.map(({ request }) => request));
    const results = await executeBatch(config, model, requests, clock);
    end(results);
    observer.executed?.(
      batch.map(({ batchSize, enqueuedAt }, i) => ({
        batchSize,
        queued: startedAt - (arrival?.(batch[i]?.request as ModelRequest) ?? enqueuedAt),
        result: results[i] as ModelResult,
      })),
      clock.now() - startedAt,
    );
    running--;
    // A batch of a preferred size gains nothing by waiting for the requests that follow these responses.
    if (hasPreferredBatch()) startBatches();
    done(results);
    // Clients that get these responses can send their next requests first.
    if (queue.size() > 0 || running === 0) plan();
  };

  model.readiness?.onChange(() => {
    if (queue.size() > 0) plan();
  });
  return {
    infer: (request) => {
      if (closed) return Promise.resolve({ error: stopping(request.id), unqueued: true });
      if (request.signal?.aborted === true) {
        observer.cancelled?.();
        return Promise.resolve({ error: cancelled(request.id) });
      }
      return new Promise((resolve) => {
        const batchSize = batchRows(request, maxBatchSize);
        const started = onAbort(request.signal, () => {
          queue.withdraw(request);
          observer.cancelled?.();
          resolve({ error: cancelled(request.id) });
          // The next batch may be different now, and callers that wait for an empty queue may continue.
          plan();
        });
        try {
          queue.push({ request, batchSize, enqueuedAt: clock.now(), resolve, started });
        } catch (error) {
          started();
          const failure = PipelineError.is(error) ? error : stopping(request.id);
          resolve({ error: failure, counts: "refusal" });
          return;
        }
        if (isFree() || Number.isFinite(queue.closestTimeout())) plan();
      });
    },
    waiting: queue.size,
    close: async () => {
      closed = true;
      if (running === 0 && queue.size() === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    },
  };
};

/** Receives a batch when it starts; the returned function receives its results. */
type Release = (batch: readonly Waiting[]) => (results: readonly ModelResult[]) => void;

const atOnce: Release = (batch) => (results) => {
  for (const [i, { resolve }] of batch.entries()) resolve(results[i] as ModelResult);
};

/** Batches deliver their responses in the order in which they started. */
const inOrder = (): Release => {
  const slots: { readonly batch: readonly Waiting[]; results?: readonly ModelResult[] }[] = [];
  return (batch) => {
    const slot: (typeof slots)[number] = { batch };
    slots.push(slot);
    return (results) => {
      slot.results = results;
      for (let head = slots[0]; head?.results !== undefined; head = slots[0]) {
        slots.shift();
        atOnce(head.batch)(head.results);
      }
    };
  };
};
