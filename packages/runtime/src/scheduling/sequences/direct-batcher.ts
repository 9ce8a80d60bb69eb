import type { ModelResult } from "../../backend.ts";
import { executeBatch } from "../execute-batch.ts";
import { createMergeRule } from "../merge-rule.ts";
import type { SchedulerOptions } from "../scheduler.ts";
import type { Entry, ReleaseSlot, Slot, SlotBatcher } from "./sequence-slot.ts";
import type { SlotRequest, SlotRequests } from "./slot-requests.ts";

/** `model` is one instance of the model. */
export interface SlotBatcherOptions extends Omit<SchedulerOptions, "initialStates"> {
  readonly requests: SlotRequests;
  readonly release: ReleaseSlot;
}

interface Row extends SlotRequest {
  readonly queued: number;
}

/**
 * `direct`: a sequence has its own row in every batch. Rows below the last one with a request are filled with empty
 * requests. Source: `DirectSequenceBatch` of Triton core.
 */
export const createDirectBatcher = (options: SlotBatcherOptions): SlotBatcher => {
  const { model, config, clock, observer, requests, release } = options;
  const { max_batch_size: maxBatchSize = 0, sequence_batching: batching = {} } = config;
  const { max_queue_delay_microseconds: delay = 0, minimum_slot_utilization: utilization = 0 } =
    batching.direct ?? {};
  const mayMerge = createMergeRule(config);
  const slots: Slot[] = [];
  let running = false;
  let planned = false;
  let callOff: (() => void) | undefined;

  const plan = (): void => {
    if (planned || running) return;
    planned = true;
    clock.soon(() => {
      planned = false;
      begin();
    });
  };

  const begin = (): void => {
    callOff?.();
    callOff = undefined;
    if (running) return;
    for (const slot of slots) endIfOver(slot, release);
    const ready = slots.filter(({ queue }) => queue.length > 0);
    const [first] = ready;
    if (first === undefined || model.readiness?.now() === false) return;
    const until = waitsUntil(ready);
    if (until === undefined) void execute(first, ready.at(-1) as Slot);
    else callOff = clock.at(until, begin);
  };

  /** The time until which the batch may grow; undefined if it runs now. */
  const waitsUntil = (ready: readonly Slot[]): number | undefined => {
    if (delay === 0 || utilization === 0) return undefined;
    const oldest = Math.min(...ready.map(({ queue }) => (queue[0] as Entry).enqueuedAt));
    const late = clock.now() - oldest > delay;
    return late || ready.length / Math.max(1, maxBatchSize) >= utilization ? undefined : oldest + delay + 1;
  };

  const rowsUpTo = (first: Entry, last: Slot, now: number): readonly (Row | undefined)[] =>
    slots.slice(0, last.index + 1).map((slot) => {
      const [next] = slot.queue;
      if (next === undefined || next === "end" || !mayMerge(first.request, next.request)) return undefined;
      slot.queue.shift();
      next.leave();
      const row = { ...requests.take(slot, next), queued: now - next.enqueuedAt };
      if (next.place.ends) release(slot);
      return row;
    });

  const execute = async (firstSlot: Slot, last: Slot): Promise<void> => {
    running = true;
    const startedAt = clock.now();
    const first = firstSlot.queue[0] as Entry;
    const rows = rowsUpTo(first, last, startedAt);
    const filled = rows.filter((row) => row !== undefined);
    const empty = filled.length < rows.length ? requests.empty(firstSlot, first.request) : undefined;
    const batch = rows.flatMap((row) => row?.request ?? empty ?? []);
    const all = await executeBatch(config, model, batch, clock);
    const results = all.filter((_, i) => rows[i] !== undefined) as readonly ModelResult[];
    observer.executed?.(
      filled.map(({ queued }, i) => ({ batchSize: 1, queued, result: results[i] as ModelResult })),
      clock.now() - startedAt,
      rows.length - filled.length,
    );
    running = false;
    for (const [i, { answer }] of filled.entries()) answer(results[i] as ModelResult);
    plan();
  };

  model.readiness?.onChange(plan);
  return {
    grown: (slot) => {
      slots[slot.index] ??= slot;
      plan();
    },
    waiting: () => 0,
  };
};

/** Frees a slot whose sequence was idle for too long, or whose next client has disconnected. */
const endIfOver = (slot: Slot, release: ReleaseSlot): void => {
  const [next] = slot.queue;
  if (next === undefined || (next !== "end" && !next.cancelled())) return;
  if (next === "end") slot.queue.shift();
  release(slot);
};
