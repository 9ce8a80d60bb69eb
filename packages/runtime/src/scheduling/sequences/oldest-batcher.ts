import { createDynamicBatcher } from "../dynamic-batcher.ts";
import type { SlotBatcherOptions } from "./direct-batcher.ts";
import type { Entry, Slot, SlotBatcher } from "./sequence-slot.ts";

/**
 * `oldest`: at most one request of each sequence is in a dynamic batcher; the next follows when it is answered. Source:
 * `OldestSequenceBatch` of Triton core.
 */
export const createOldestBatcher = (options: SlotBatcherOptions): SlotBatcher => {
  const { model, config, clock, observer, requests, release } = options;
  const { sequence_batching: { oldest = {} } = {}, ...others } = config;
  const { preferred_batch_size = [], max_queue_delay_microseconds = 0, preserve_ordering = false } = oldest;
  const arrivals = new Map<object, number>();
  const batcher = createDynamicBatcher({
    model,
    config: {
      ...others,
      dynamic_batching: { preferred_batch_size, max_queue_delay_microseconds, preserve_ordering },
    },
    clock,
    observer,
    arrival: (request) => arrivals.get(request),
  });

  const run = async (slot: Slot, entry: Entry): Promise<void> => {
    slot.busy = true;
    entry.leave();
    const { request, answer } = requests.take(slot, entry);
    arrivals.set(request, entry.enqueuedAt);
    const result = await batcher.infer(request);
    arrivals.delete(request);
    answer(result);
    slot.busy = false;
    startNext(slot);
  };

  const startNext = (slot: Slot): void => {
    while (!slot.busy) {
      const [next] = slot.queue;
      if (next === undefined) return;
      const runs = next !== "end" && !next.cancelled();
      if (runs) void run(slot, next);
      if (runs || next === "end") slot.queue.shift();
      if (!runs || next.place.ends) release(slot);
    }
  };

  return { grown: startNext, waiting: batcher.waiting };
};
