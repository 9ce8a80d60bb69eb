import type { ModelRequest, ModelResult } from "../../backend.ts";
import type { SequencePlace } from "../../requests/sequence-place.ts";
import type { SequenceState } from "./implicit-state.ts";

/** A request of a sequence that waits. */
export interface Entry {
  readonly request: ModelRequest;
  readonly place: SequencePlace;
  /** Microseconds on the scheduler's clock. */
  readonly enqueuedAt: number;
  /** Its client has left. The sequence ends when the entry's turn comes. */
  readonly cancelled: () => boolean;
  /** It runs, so that it is no longer cancelled here. */
  readonly leave: () => void;
  readonly resolve: (result: ModelResult) => void;
  /** The model has run it. */
  readonly ran: (result: ModelResult) => void;
}

/** A place for one sequence at a time in an instance of a model. */
export interface Slot {
  readonly instance: number;
  /** From 0; in direct batches, the row. */
  readonly index: number;
  /** The requests of its sequence; "end": the sequence has been idle too long. */
  queue: (Entry | "end")[];
  /** One of its requests is running. */
  busy: boolean;
  /** The state of the sequence that had a request in it last. */
  state: SequenceState | undefined;
}

/** Runs the requests in the slots of one instance. */
export interface SlotBatcher {
  /** The slot's queue has grown. */
  grown(slot: Slot): void;
  /** Number of requests that have left their slots and wait for an execution. */
  waiting(): number;
}

/**
 * Ends a slot's sequence: cancels the rest of its queue, and gives the slot to the next sequence of the backlog, if
 * there is one.
 */
export type ReleaseSlot = (slot: Slot) => void;
