import { runtimeError } from "../errors.ts";
import { createDefaultScheduler } from "./default-scheduler.ts";
import { createDynamicBatcher } from "./dynamic-batcher.ts";
import { createSequenceScheduler } from "./sequences/sequence-scheduler.ts";
import type { Scheduler, SchedulerOptions } from "./scheduler.ts";

/** The scheduler for a configuration. */
export const createScheduler = (options: SchedulerOptions): Scheduler => {
  if (options.model.instances === 0) return withoutInstance(options.config.name ?? "");
  const { sequence_batching: sequences, dynamic_batching: batches } = options.config;
  if (sequences !== undefined) return createSequenceScheduler(options);
  return batches === undefined ? createDefaultScheduler(options) : createDynamicBatcher(options);
};

/** A request to such a model ends Triton 24.10. */
const withoutInstance = (model: string): Scheduler => ({
  infer: () => Promise.resolve({ error: runtimeError("model/no-instance", { model }) }),
  waiting: () => 0,
  close: () => Promise.resolve(),
});
