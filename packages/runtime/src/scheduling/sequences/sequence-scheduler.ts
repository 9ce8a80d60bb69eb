import { foreignError, PipelineError } from "@tritype/core";
import { isRescheduled, type LoadedModel, type ModelRequest, type ModelResult } from "../../backend.ts";
import { type SequenceId, sequencePlace, unsignedOf } from "../../requests/sequence-place.ts";
import { batchRows } from "../batch-rows.ts";
import { cancelled, onAbort } from "../cancellation.ts";
import { stopping } from "../execute-batch.ts";
import type { Scheduler, SchedulerOptions } from "../scheduler.ts";
import { createControlInputs } from "./control-inputs.ts";
import { createDirectBatcher } from "./direct-batcher.ts";
import { createFreeSlots } from "./free-slots.ts";
import { createImplicitState } from "./implicit-state.ts";
import { continued, createIteration } from "./iteration.ts";
import { createOldestBatcher } from "./oldest-batcher.ts";
import { createSequenceTable } from "./sequence-table.ts";
import type { Entry } from "./sequence-slot.ts";
import { createSlotRequests } from "./slot-requests.ts";

/**
 * Requests with a correlation id run in the order of their sequence, each sequence on one instance. Sequences without a
 * slot wait in the backlog. In an iterative model each request is a sequence, which ends when an execution does not
 * reschedule it. Source: `SequenceBatchScheduler` and `IterativeSequencer` of Triton core.
 */
export const createSequenceScheduler = (options: SchedulerOptions): Scheduler => {
  const { model, config, clock, observer, initialStates = new Map() } = options;
  const { name = "", max_batch_size: maxBatchSize = 0, sequence_batching: batching = {} } = config;
  const controls = createControlInputs(config);
  const states = createImplicitState(config, initialStates, model.givesStates === true);
  const requests = createSlotRequests(controls, states);
  const instances = model.instances ?? 1;
  const candidates = batching.oldest?.max_candidate_sequences ?? 0;
  const iteration = batching.iterative_sequence === true ? createIteration() : undefined;
  const createBatcher = batching.oldest === undefined ? createDirectBatcher : createOldestBatcher;
  /** Number of entries that have not been answered. */
  let open = 0;
  /** Number of entries that wait outside the batchers. */
  let queued = 0;
  let closed = false;
  let drained: (() => void) | undefined;

  const table = createSequenceTable({
    free: createFreeSlots(instances, candidates || Math.max(1, maxBatchSize)),
    clock,
    idle: batching.max_sequence_idle_microseconds || defaultIdle,
    grown: (slot) => batchers[slot.instance]?.grown(slot),
    cancel: (entry) => {
      if (!entry.cancelled()) cancel(entry);
    },
    expire: (entry) => {
      if (entry.cancelled()) return;
      entry.leave();
      observer.rejected?.(1);
      entry.resolve({
        error: foreignError("model/unavailable", "timeout of the corresponding sequence has been expired"),
      });
    },
  });
  const batchers = Array.from({ length: instances }, (_, instance) =>
    createBatcher({
      model: oneInstance(model, instance),
      config,
      clock,
      observer,
      requests,
      release: table.release,
    }),
  );

  const cancel = ({ request, leave, resolve }: Entry): void => {
    leave();
    observer.cancelled?.();
    resolve({ error: cancelled(request.id) });
  };

  /** An execution of an iterative model has ended; `again` queues the request again. */
  const iterated = (entry: Entry, result: ModelResult, took: number, again: () => void): void => {
    const { request, place, resolve } = entry;
    const isGone = request.signal?.aborted === true;
    if (!isRescheduled(result)) {
      table.end(place.id);
      if (!isGone && !place.ends) observer.iterated?.();
      resolve(result);
    } else if (table.knows(place.id)) {
      observer.rescheduled?.(took);
      if (result.moments !== undefined) request.trace?.computed(result.moments, !isGone);
      if (!isGone) return again();
      table.end(place.id);
      cancel(entry);
    } else resolve({ error: notStarted(place.id), counts: "answer" });
  };

  const entryOf = (
    request: ModelRequest,
    answer: (result: ModelResult) => void,
    arrivedAt = clock.now(),
  ): Entry => {
    queued++;
    let left = false;
    let gone = false;
    const entry: Entry = {
      request,
      place: sequencePlace(request.parameters),
      enqueuedAt: clock.now(),
      cancelled: () => gone,
      leave: () => {
        if (left) return;
        left = true;
        queued--;
        unwatch();
      },
      resolve: (result) => {
        open--;
        answer(result);
        if (open === 0) drained?.();
      },
      ran: (result) => {
        const again = () => table.add(entryOf(continued(request), answer, arrivedAt), 0);
        if (iteration === undefined) entry.resolve(result);
        else iterated(entry, result, clock.now() - arrivedAt, again);
      },
    };
    const unwatch = onAbort(request.signal, () => {
      gone = true;
      cancel(entry);
    });
    return entry;
  };

  const notStarted = (id: SequenceId): PipelineError =>
    invalid(
      `inference request for sequence ${id} to model '${name}' must specify the START flag on the first request of the sequence`,
    );

  /** The request with its sequence, or the reason why it is refused. */
  const admit = (received: ModelRequest): ModelRequest | PipelineError => {
    if (closed) return stopping(received.id);
    if (batchRows(received, maxBatchSize) > 1)
      return invalid(
        `inference request to model '${name}' must specify batch-size 1 due to requirements of sequence batcher`,
      );
    const request = iteration?.begin(received) ?? received;
    const { id, starts } = sequencePlace(request.parameters);
    if (!id)
      return invalid(
        `inference request to model '${name}' must specify a non-zero or non-empty correlation ID`,
      );
    if (starts || table.knows(id)) return controls.mismatch(request.id, id) ?? request;
    return notStarted(id);
  };

  return {
    infer: (received) => {
      const request = admit(received);
      if (PipelineError.is(request)) return Promise.resolve({ error: request, counts: "refusal" });
      if (request.signal?.aborted === true) {
        observer.cancelled?.();
        return Promise.resolve({ error: cancelled(request.id) });
      }
      return new Promise((resolve) => {
        open++;
        table.add(entryOf(request, resolve), Number(unsignedOf(request.parameters["timeout"])));
      });
    },
    waiting: () => queued + batchers.reduce((sum, batcher) => sum + batcher.waiting(), 0),
    close: async () => {
      closed = true;
      // No more requests will arrive, so running sequences end, and those that wait for a slot get one.
      if (iteration === undefined) table.endAll();
      if (open > 0)
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
      table.close();
    },
  };
};

const defaultIdle = 1_000_000;

const invalid = (text: string): PipelineError => foreignError("request/invalid", text);

/** A model that keeps no state between requests may run them on any instance. */
const oneInstance = (model: LoadedModel, instance: number): LoadedModel => ({
  instances: 1,
  ...(model.readiness && {
    readiness: { ...model.readiness, now: () => model.readiness?.now(model.executeOn && instance) !== false },
  }),
  execute: (requests) => model.executeOn?.(instance, requests) ?? model.execute(requests),
  close: () => Promise.resolve(),
});
