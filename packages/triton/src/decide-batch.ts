import type { ModelConfig } from "./generated/model-config.ts";

/** A request in the queue of a dynamic batcher; times in microseconds on the scheduler's clock. */
export interface QueuedRequest {
  /** Number of rows; 1 for a model without batching. */
  readonly batchSize: number;
  readonly enqueuedAt: number;
  /** The time when its queue policy acts on it; infinite without a timeout. */
  readonly timeoutAt: number;
}

export interface BatchLimits {
  readonly maxBatchSize: number;
  /** Batch sizes, ascending; not empty. */
  readonly preferred: readonly number[];
  /** Maximum time in microseconds that a request may wait for others. */
  readonly delay: number;
}

/** The decision about a queue when an instance is free. */
export type BatchDecision<Request> =
  | { readonly kind: "send"; readonly batch: readonly Request[] }
  /** Runs nothing before this time, unless a request arrives. */
  | { readonly kind: "wait"; readonly until: number };

/**
 * The next batch of a non-empty queue: the largest preferred size that the first requests add up to; otherwise the
 * available requests, if the oldest has waited long enough or the batch cannot grow because the next request is too
 * large or `mergeable` is false. Source: `DynamicBatchScheduler::GetDynamicBatch` of Triton core.
 */
export const decideBatch = <Request extends QueuedRequest>(
  queue: Iterable<Request>,
  { maxBatchSize, preferred, delay }: BatchLimits,
  mergeable: (first: Request, next: Request) => boolean,
  now: number,
): BatchDecision<Request> => {
  const largest = preferred.at(-1) ?? maxBatchSize;
  const pending: Request[] = [];
  let size = 0;
  let best = 0;
  let full = false;
  for (const waiting of queue) {
    const [first] = pending;
    const grown = size + waiting.batchSize;
    if (first !== undefined) {
      if (grown > largest && best === 0) best = pending.length;
      full = grown > maxBatchSize || !mergeable(first, waiting);
      if (full) break;
    }
    pending.push(waiting);
    size = grown;
    if (preferred.includes(size)) best = pending.length;
    // No later request can change the decision.
    if (size >= maxBatchSize) break;
  }
  const oldest = pending.reduce(
    (first, { enqueuedAt }) => Math.min(first, enqueuedAt),
    Number.POSITIVE_INFINITY,
  );
  const late = delay > 0 && now - oldest >= delay;
  if (best > 0 && !late) return { kind: "send", batch: pending.slice(0, best) };
  if (full || late || delay === 0 || size >= largest) return { kind: "send", batch: pending };
  const timeout = pending.reduce(
    (first, { timeoutAt }) => Math.min(first, timeoutAt),
    Number.POSITIVE_INFINITY,
  );
  return { kind: "wait", until: Math.min(oldest + delay, timeout + 1) };
};

/** The limits of a model with `dynamic_batching`. */
export const batchLimits = ({ max_batch_size = 0, dynamic_batching = {} }: ModelConfig): BatchLimits => {
  // Triton counts every request as one row if the model does not support batching.
  const maxBatchSize = Math.max(1, max_batch_size);
  const preferred = (dynamic_batching.preferred_batch_size ?? []).toSorted((a, b) => a - b);
  return {
    maxBatchSize,
    preferred: preferred.length === 0 ? [maxBatchSize] : preferred,
    delay: dynamic_batching.max_queue_delay_microseconds ?? 0,
  };
};
