import type { ModelRequest, ModelResult } from "../../backend.ts";
import type { SequencePlace } from "../../requests/sequence-place.ts";
import type { SequenceState } from "./implicit-state.ts";

/** A waiting request of a sequence. */
export interface Entry {
  readonly request: ModelRequest;
  readonly place: SequencePlace;
  /** Microseconds on the scheduler's clock. */
  readonly enqueuedAt: number;
  /** Its client has disconnected. The sequence ends when it is the entry's turn. */
  readonly cancelled: () => boolean;
  /** Called when the entry starts to run: it is no longer cancelled here. */
  readonly leave: () => void;
  readonly resolve: (result: ModelResult) => void;
  /** Called when the model has run it. */
  readonly ran: (result: ModelResult) => void;
}

/** A place for one sequence at a time in an instance of a model. */
export interface Slot {
  readonly instance: number;
  /** Numbered from 0; in direct batches, this is the row. */
  readonly index: number;
  /** The requests of its sequence; "end": the sequence has been idle for too long. */
  queue: (Entry | "end")[];
  /** One of its requests is running. */
  busy: boolean;
  /** The state of the last sequence that had a request in this slot. */
  state: SequenceState | undefined;
}

/** Runs the requests in the slots of one instance. */
export interface SlotBatcher {
  /** The slot's queue has grown. */
  grown(slot: Slot): void;
  /** Number of requests that have left their slots and are waiting for an execution. */
  waiting(): number;
}

/**
 * Ends a slot's sequence: cancels the rest of its queue, and gives the slot to the next sequence in the backlog, if
 * there is one.
 */
export type ReleaseSlot = (slot: Slot) => void;
