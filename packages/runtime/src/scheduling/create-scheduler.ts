import { createDefaultScheduler } from "./default-scheduler.ts";
import { createDynamicBatcher } from "./dynamic-batcher.ts";
import { createSequenceScheduler } from "./sequences/sequence-scheduler.ts";
import type { Scheduler, SchedulerOptions } from "./scheduler.ts";

/** The scheduler for a configuration. */
export const createScheduler = (options: SchedulerOptions): Scheduler => {
  const { sequence_batching: sequences, dynamic_batching: batches } = options.config;
  if (sequences !== undefined) return createSequenceScheduler(options);
  return batches === undefined ? createDefaultScheduler(options) : createDynamicBatcher(options);
};
