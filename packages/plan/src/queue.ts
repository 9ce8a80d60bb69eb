import type { BatchDecision, QueuedRequest } from "@tritype/triton";
import type { Station } from "./system.ts";

/** A request in a simulated server. Times in microseconds. */
export interface Request {
  readonly kind: number;
  readonly arrived: number;
  readonly counts: boolean;
  /** For each step, the number of steps that it is still waiting for. */
  readonly missing: number[];
  unfinished: number;
}

/** A request that waits for a step. */
export interface Waiting extends QueuedRequest {
  readonly request: Request;
  readonly step: number;
}

/** The requests that wait for a model, in the order of their arrival, and what its instances have done. */
export interface Queue {
  readonly station: Station;
  readonly push: (waiting: Waiting) => void;
  readonly size: () => number;
  readonly entries: () => Iterable<Waiting>;
  /** The oldest request only. */
  readonly first: () => BatchDecision<Waiting>;
  /** Removes the oldest ones. */
  readonly remove: (count: number) => void;
  running: number;
  /** The time for which a timer is set. */
  wakes: number;
  /** Sums: microseconds times instances, rows, executions, and the requests' waiting times. */
  busy: number;
  rows: number;
  executions: number;
  waited: number;
  requests: number;
}

export const createQueue = (station: Station): Queue => {
  let waiting: Waiting[] = [];
  let head = 0;
  return {
    station,
    push: (one) => void waiting.push(one),
    size: () => waiting.length - head,
    entries: function* () {
      for (let at = head; at < waiting.length; at++) yield waiting[at] as Waiting;
    },
    first: () => ({ kind: "send", batch: waiting.slice(head, head + 1) }),
    remove: (count) => {
      head += count;
      if (head < 1024 && head < waiting.length) return;
      waiting = waiting.slice(head);
      head = 0;
    },
    running: 0,
    wakes: Number.NaN,
    busy: 0,
    rows: 0,
    executions: 0,
    waited: 0,
    requests: 0,
  };
};
