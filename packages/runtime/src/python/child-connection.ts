import type { Socket } from "node:net";
import { Body, type Frame, FrameReader, frameType, printFrame } from "./frame.ts";
import { Unpacker } from "./packed.ts";

/** The process ended or its connection broke; `message` says how, as a phrase that can follow "it". */
export class ChildExited extends Error {}

const helloId = 0;

/** Messages that a child sends on its own initiative. */
export interface ConnectionTakers {
  readonly log: (level: number, text: string) => void;
  /** A call of the model; the response has the frame's id. */
  readonly call: (frame: Frame) => void;
  /** A message of a decoupled model. */
  readonly response: (frame: Frame) => void;
  /** Whether further responses are expected. If so, the connection keeps this process alive. */
  readonly expects: () => boolean;
}

/** Requests to a child; each waits for the frame with its response. */
export class ChildConnection {
  /** Receives the data from the first socket. */
  readonly reader: FrameReader = new FrameReader((frame) => this.#receive(frame));
  /** The child's first frame. */
  readonly hello: Promise<Frame>;
  readonly #answers = new Map<number, (answer: Frame | ChildExited) => void>();
  readonly #takers: ConnectionTakers;
  #commands: Socket | undefined;
  #urgent: Socket | undefined;
  #lastId = helloId;
  #closed: ChildExited | undefined;

  constructor(takers: ConnectionTakers) {
    this.#takers = takers;
    this.hello = this.#answerTo(helloId, (hello) => hello);
    this.hello.catch(() => undefined);
  }

  /**
   * The sockets to write to, once they are connected. The first one keeps the process alive while a response is pending.
   * @param commands The child's main thread reads it between two executions. The child writes everything to it.
   * @param urgent Another thread of the child reads it at any time.
   */
  use(commands: Socket, urgent: Socket): void {
    this.#commands = commands;
    this.#urgent = urgent.unref();
    this.#letGo();
  }

  /** @throws ChildExited if the connection is closed before the response. */
  ask(type: number, meta: Uint8Array = Buffer.alloc(0), body: Body = new Body()): Promise<Frame> {
    return this.askWithId(this.nextId(), type, meta, body, (answer) => answer);
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /**
   * @param read Reads the response before any frame that follows it: several frames may arrive at once, before a promise settles.
   * @throws ChildExited as `ask` does; the errors of `read`.
   */
  askWithId<T>(
    id: number,
    type: number,
    meta: Uint8Array,
    body: Body,
    read: (answer: Frame) => T,
  ): Promise<T> {
    const answer = this.#answerTo(id, read);
    this.#commands?.ref();
    write(this.#commands, printFrame(type, id, meta, body));
    return answer;
  }

  /** Sends a frame without a response. A running model receives it, too. A closed connection silently ignores it. */
  tell(type: number, id: number, meta: Uint8Array, body: Body = new Body()): void {
    write(this.#urgent, printFrame(type, id, meta, body));
  }

  /** Fails every request, including future ones. */
  close(how: string): void {
    this.#closed = new ChildExited(how);
    this.#commands?.destroy();
    this.#urgent?.destroy();
    for (const answer of this.#answers.values()) answer(this.#closed);
    this.#answers.clear();
  }

  #answerTo<T>(id: number, read: (answer: Frame) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const take = (answer: Frame | ChildExited): void => {
        try {
          if (answer instanceof ChildExited) reject(answer);
          else resolve(read(answer));
        } catch (error) {
          reject(error);
        }
      };
      if (this.#closed === undefined) this.#answers.set(id, take);
      else take(this.#closed);
    });
  }

  #receive(frame: Frame): void {
    if (frame.type === frameType.log) {
      const meta = new Unpacker(frame.meta);
      this.#takers.log(meta.u8(), meta.text());
      return;
    }
    if (frame.type === frameType.bls || frame.type === frameType.call) {
      this.#takers.call(frame);
      return;
    }
    if (frame.type === frameType.response) {
      this.#takers.response(frame);
    } else {
      this.#answers.get(frame.id)?.(frame);
      this.#answers.delete(frame.id);
    }
    this.#letGo();
  }

  #letGo(): void {
    if (this.#answers.size === 0 && !this.#takers.expects()) this.#commands?.unref();
  }
}

const write = (socket: Socket | undefined, parts: readonly Uint8Array[]): void => {
  if (socket === undefined || socket.destroyed) return;
  if (parts.length > 1) socket.cork();
  for (const part of parts) socket.write(part);
  if (parts.length > 1) socket.uncork();
};
