import type { ModelMessage, ModelRequest, ModelResult } from "../backend.ts";
import type { Clock } from "./clock.ts";
import type { CancelSignal } from "./cancellation.ts";

/** Receives the requests of a batch when it starts; `end` ends the messages of those that failed. */
export type WithReplies = (requests: readonly ModelRequest[]) => {
  readonly requests: readonly ModelRequest[];
  readonly end: (results: readonly ModelResult[]) => void;
};

type Reply = NonNullable<ModelRequest["reply"]>;

/** The place of a request among those whose messages are sent in order. */
interface Slot {
  /** The function that the model calls, in every execution of the request. */
  readonly gated: Reply;
  readonly deliver: Reply;
  readonly held: ModelMessage[];
  ended: boolean;
  leaves: boolean;
}

export const asTheyAre: WithReplies = (requests) => ({ requests, end: () => {} });

/**
 * Decoupled requests send their messages in the order in which the requests first started: those of later ones are held
 * in memory until the final message of the earlier ones. As in Triton, a model does not wait for messages that are held,
 * because it may send those of several requests in turn.
 */
export const repliesInOrder = (clock: Clock): WithReplies => {
  const slots: Slot[] = [];
  /** A request that its model reschedules keeps its slot. */
  const known = new WeakMap<Reply, Slot>();
  /** The next request's messages follow in a later turn, because readers take theirs one by one. */
  const advance = (): void => {
    const [head] = slots;
    if (head === undefined) return;
    for (const message of head.held.splice(0)) head.deliver(message);
    if (!head.ended || head.leaves) return;
    head.leaves = true;
    clock.soon(() => {
      slots.shift();
      advance();
    });
  };
  const open = (deliver: Reply, signal: CancelSignal | undefined): Slot => {
    const gated: Reply = ({ taken, ...message }) => {
      slot.ended ||= message.final;
      if (slots[0] === slot) deliver({ ...message, ...(taken && { taken }) });
      else {
        if (signal?.aborted !== true || message.final) slot.held.push(message);
        taken?.();
      }
      advance();
    };
    const slot: Slot = { gated, deliver, held: [], ended: false, leaves: false };
    for (const reply of [deliver, gated]) known.set(reply, slot);
    slots.push(slot);
    return slot;
  };
  return (requests) => {
    const own = requests.map(({ reply, signal }) => reply && (known.get(reply) ?? open(reply, signal)));
    const end = (results: readonly ModelResult[]): void => {
      for (const [i, slot] of own.entries())
        if (slot !== undefined && "error" in (results[i] ?? {})) slot.ended = true;
      advance();
    };
    return {
      requests: requests.map((request, i) => ({ ...request, ...(own[i] && { reply: own[i].gated }) })),
      end,
    };
  };
};
