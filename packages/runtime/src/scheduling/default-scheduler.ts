import type { ModelRequest, ModelResult } from "../backend.ts";
import { batchRows } from "./batch-rows.ts";
import { cancelled, onAbort } from "./cancellation.ts";
import { executeBatch, stopping } from "./execute-batch.ts";
import type { Scheduler, SchedulerOptions } from "./scheduler.ts";

interface Waiting {
  readonly request: ModelRequest;
  readonly enqueuedAt: number;
  readonly resolve: (result: ModelResult) => void;
  /** Called when the request starts to run and can no longer be cancelled. */
  readonly started: () => void;
}

/**
 * Runs one request per execution, in the order of arrival. At most as many run at the same time as the model has
 * instances, plus those that it accepts in advance.
 */
export const createDefaultScheduler = ({ model, config, clock, observer }: SchedulerOptions): Scheduler => {
  const { max_batch_size: maxBatchSize = 0 } = config;
  const instances = model.instances ?? Number.POSITIVE_INFINITY;
  const queue: Waiting[] = [];
  let head = 0;
  let running = 0;
  let closed = false;
  let drained: (() => void) | undefined;

  const isDrained = (): boolean => running === 0 && head === queue.length;
  const execute = async (
    request: ModelRequest,
    enqueuedAt: number,
    startedAt: number,
  ): Promise<ModelResult> => {
    running++;
    const [result] = (await executeBatch(config, model, [request], clock)) as readonly [ModelResult];
    const batchSize = batchRows(request, maxBatchSize);
    observer.executed?.([{ batchSize, queued: startedAt - enqueuedAt, result }], clock.now() - startedAt);
    running--;
    startAll();
    if (isDrained()) drained?.();
    return result;
  };
  const isFree = (): boolean =>
    running < instances + (model.ahead?.() ?? 0) && model.readiness?.now() !== false;
  const takeNext = (): Waiting | undefined => {
    const waiting = isFree() ? queue[head] : undefined;
    if (waiting === undefined) return undefined;
    head++;
    if (head === queue.length || head > 1024) {
      queue.splice(0, head);
      head = 0;
    }
    return waiting;
  };
  const startAll = (): void => {
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      next.started();
      void execute(next.request, next.enqueuedAt, clock.now()).then(next.resolve);
    }
  };

  model.readiness?.onChange(startAll);
  return {
    infer: (request) => {
      if (closed) return Promise.resolve({ error: stopping(request.id), unqueued: true });
      if (request.signal?.aborted === true) {
        observer.cancelled?.();
        return Promise.resolve({ error: cancelled(request.id) });
      }
      const enqueuedAt = clock.now();
      // Nothing waits for an instance, so there is nothing that could be cancelled.
      if (head === queue.length && isFree()) return execute(request, enqueuedAt, enqueuedAt);
      return new Promise((resolve) => {
        const started = onAbort(request.signal, () => {
          queue.splice(queue.indexOf(waiting, head), 1);
          observer.cancelled?.();
          resolve({ error: cancelled(request.id) });
          if (isDrained()) drained?.();
        });
        const waiting: Waiting = { request, enqueuedAt, resolve, started };
        queue.push(waiting);
        startAll();
      });
    },
    waiting: () => queue.length - head,
    close: async () => {
      closed = true;
      if (!isDrained())
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
    },
  };
};
