import { createDefaultScheduler } from "./default-scheduler.ts";
import { createDynamicBatcher } from "./dynamic-batcher.ts";
import type { Scheduler, SchedulerOptions } from "./scheduler.ts";

/** The scheduler for a configuration. */
export const createScheduler = (options: SchedulerOptions): Scheduler =>
  options.config.dynamic_batching === undefined
    ? createDefaultScheduler(options)
    : createDynamicBatcher(options);
