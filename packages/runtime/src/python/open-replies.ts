import type { ModelRequest, ModelResult } from "../backend.ts";
import { onceAborted } from "../scheduling/cancellation.ts";
import { unpackResult } from "./execute-message.ts";
import type { Frame } from "./frame.ts";
import { Unpacker } from "./packed.ts";

/** Messages to the process of a decoupled model about the reader of one request. */
export interface ReplyControl {
  /** The reader no longer needs the answer. */
  cancel(execution: number, index: number): void;
  /** The reader has received a response. */
  acknowledge(execution: number, index: number): void;
  /** The model can no longer send the missing final message. @returns The failure that ends the request. */
  dropped(): ModelResult;
}

type Reply = NonNullable<ModelRequest["reply"]>;

interface OpenReply {
  readonly reply: Reply;
  /** Stops listening for cancellation and reports that the request has ended. */
  readonly stop: () => void;
  /** The request has left this execution and will be run again; the model may have kept the sender. */
  rescheduled: boolean;
}

/** Bits in a RESPONSE frame. */
const [final, response, dropped] = [1, 2, 4];

/** Requests to a decoupled model in one process whose final message has not arrived yet. */
export class OpenReplies {
  readonly #control: ReplyControl;
  /** The requests by execution, then by position in the execution. */
  readonly #open = new Map<number, Map<number, OpenReply>>();
  /** Rescheduled requests may have several senders, but only one final message. */
  readonly #ended = new WeakSet<Reply>();

  constructor(control: ReplyControl) {
    this.#control = control;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Adds the requests of an execution that was just sent.
   * @param over Called with the position of a request when its final message has arrived.
   */
  add(execution: number, requests: readonly ModelRequest[], over: (index: number) => void): void {
    const open = new Map<number, OpenReply>();
    for (const [index, { reply, signal }] of requests.entries()) {
      if (reply === undefined) continue;
      const stopListening = onceAborted(signal, () => this.#control.cancel(execution, index));
      const stop = (): void => {
        stopListening();
        over(index);
      };
      open.set(index, { reply, stop, rescheduled: false });
    }
    if (open.size > 0) this.#open.set(execution, open);
  }

  /** @returns Whether the request may run again, because its final message has not been sent. */
  reschedule(execution: number, index: number): boolean {
    const open = this.#open.get(execution)?.get(index);
    if (open === undefined || this.#ended.has(open.reply)) return false;
    open.rescheduled = true;
    return true;
  }

  /** @throws PipelineError `model/failed` or RangeError if the frame is not well formed. */
  deliver({ id, meta: bytes, body }: Frame): void {
    const meta = new Unpacker(bytes);
    const [index, flags] = [meta.u32(), meta.u8()];
    const result = (flags & response) === 0 ? undefined : unpackResult(meta, body);
    const open = this.#open.get(id)?.get(index);
    if (open === undefined) return;
    const { reply, rescheduled } = open;
    const isFinal = (flags & final) !== 0;
    const isDropped = (flags & dropped) !== 0;
    if (isFinal) this.#close(id, index);
    if (isDropped && (rescheduled || this.#ended.has(reply))) return;
    if (isFinal) this.#ended.add(reply);
    if (isDropped) {
      reply({ result: this.#control.dropped(), final: true });
      return;
    }
    const taken = (): void => this.#control.acknowledge(id, index);
    reply(result === undefined ? { final: isFinal } : { result, final: isFinal, taken });
  }

  /** Ends the requests of an execution, or all, with a failure. */
  fail(result: ModelResult, executions: Iterable<number> = [...this.#open.keys()]): void {
    for (const id of executions) {
      for (const [index, { reply, rescheduled }] of this.#open.get(id) ?? []) {
        this.#close(id, index);
        if (!rescheduled) reply({ result, final: true });
      }
    }
  }

  #close(id: number, index: number): void {
    const open = this.#open.get(id);
    open?.get(index)?.stop();
    open?.delete(index);
    if (open?.size === 0) this.#open.delete(id);
  }
}
