import type { Duration } from "./duration.ts";

/** What happens to requests that wait. */
export interface QueuePolicy {
  /** Once a request has waited too long: refuse it, or let it wait behind the others. Default `"reject"`. */
  readonly timeoutAction?: "reject" | "delay";
  /** How long is too long. Default: never. */
  readonly defaultTimeout?: Duration;
  /** A request may bring a shorter timeout of its own. Default false. */
  readonly allowTimeoutOverride?: boolean;
  /** Requests that may wait; more are refused. Default 0: no limit. */
  readonly maxQueueSize?: number;
}

/** Merging of requests into batches. Triton: `dynamic_batching`. Only for batched models; requests merge when their shapes are equal. */
export interface DynamicBatching {
  /** Sizes that are sent as soon as they are reached; at most the largest batch. Default: the largest batch. */
  readonly preferredBatchSize?: readonly number[];
  /** How long a request may wait for others. Triton: `max_queue_delay_microseconds`. Default: not at all. */
  readonly maxQueueDelay?: Duration;
  /** Answers leave in the order in which the requests came. Default false. */
  readonly preserveOrdering?: boolean;
  /** Number of priorities; 1 is the highest. Default 0: none. */
  readonly priorityLevels?: number;
  /** Priority of a request that names none; needed with `priorityLevels`. */
  readonly defaultPriorityLevel?: number;
  /** For requests of every priority that `priorityQueuePolicy` does not name. Default: no limit and no timeout. */
  readonly defaultQueuePolicy?: QueuePolicy;
  /** By priority, from 1 to `priorityLevels`. Default: `defaultQueuePolicy` for all. */
  readonly priorityQueuePolicy?: Readonly<Record<number, QueuePolicy>>;
}
