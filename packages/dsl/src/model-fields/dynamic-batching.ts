import type { Duration } from "./duration.ts";

/** Settings for a queue of waiting requests. With any but `timeoutAction`, requests to Triton can wait for half a second although an instance is free (`batch/queue-stalls`). */
export interface QueuePolicy {
  /** What to do with a request that has waited too long: refuse it, or let it wait behind the others. Default `"reject"`. */
  readonly timeoutAction?: "reject" | "delay";
  /** The maximum waiting time. Default: none. */
  readonly defaultTimeout?: Duration;
  /** A request may set a shorter timeout. Default false. */
  readonly allowTimeoutOverride?: boolean;
  /** Maximum number of waiting requests; further ones are refused. Default 0: no limit. */
  readonly maxQueueSize?: number;
}

/** Merges requests into batches. Triton: `dynamic_batching`. Only for batched models; requests are merged if their shapes are equal. */
export interface DynamicBatching {
  /** Batch sizes that run as soon as they are reached. None may exceed the largest batch. Default: the largest batch. */
  readonly preferredBatchSize?: readonly number[];
  /** How long a request may wait for others. Triton: `max_queue_delay_microseconds`. Default: requests do not wait. */
  readonly maxQueueDelay?: Duration;
  /** Send answers in the order of the requests. Default false. */
  readonly preserveOrdering?: boolean;
  /** Number of priorities; 1 is the highest. Like queue policies, they can delay requests in Triton (`batch/queue-stalls`). Default 0: none. */
  readonly priorityLevels?: number;
  /** Priority of a request without one; required with `priorityLevels`. */
  readonly defaultPriorityLevel?: number;
  /** The policy for requests whose priority is not listed in `priorityQueuePolicy`. Default: no limit and no timeout. */
  readonly defaultQueuePolicy?: QueuePolicy;
  /** Queue policies by priority, from 1 to `priorityLevels`. Default: `defaultQueuePolicy` for all priorities. */
  readonly priorityQueuePolicy?: Readonly<Record<number, QueuePolicy>>;
}
