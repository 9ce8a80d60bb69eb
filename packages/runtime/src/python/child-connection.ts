import type { Socket } from "node:net";
import type { ChildSockets } from "./child-address.ts";
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
  /** Receives the data from the socket. */
  readonly reader: FrameReader = new FrameReader((frame) => this.#receive(frame));
  /** The child's first frame. */
  readonly hello: Promise<Frame>;
  readonly #answers = new Map<number, Waiting>();
  readonly #takers: ConnectionTakers;
  #sockets: ChildSockets | undefined;
  #lastId = helloId;
  #closed: ChildExited | undefined;

  constructor(takers: ConnectionTakers) {
    this.#takers = takers;
    this.hello = this.#answerTo(helloId);
    this.hello.catch(() => undefined);
  }

  /** The sockets to write to, once they are connected. They keep the process alive while a response is pending. */
  use(sockets: ChildSockets): void {
    this.#sockets = sockets;
    sockets.urgent.unref();
    this.#letGo();
  }

  /** @throws ChildExited if the connection is closed before the response. */
  ask(type: number, meta: Uint8Array = Buffer.alloc(0), body: Body = new Body()): Promise<Frame> {
    return this.askWithId(this.nextId(), type, meta, body);
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /** @throws ChildExited as `ask` does. */
  askWithId(id: number, type: number, meta: Uint8Array, body: Body): Promise<Frame> {
    const answer = this.#answerTo(id);
    this.#sockets?.commands.ref();
    write(this.#sockets?.commands, printFrame(type, id, meta, body));
    return answer;
  }

  /** Sends a frame without a response. A running model receives it, too. A closed connection silently ignores it. */
  tell(type: number, id: number, meta: Uint8Array, body: Body = new Body()): void {
    write(this.#sockets?.urgent, printFrame(type, id, meta, body));
  }

  /** Fails every request, including future ones. */
  close(how: string): void {
    this.#closed = new ChildExited(how);
    this.#sockets?.commands.destroy();
    this.#sockets?.urgent.destroy();
    for (const { reject } of this.#answers.values()) reject(this.#closed);
    this.#answers.clear();
  }

  #answerTo(id: number): Promise<Frame> {
    return new Promise((resolve, reject) => {
      if (this.#closed === undefined) this.#answers.set(id, { resolve, reject });
      else reject(this.#closed);
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
      this.#answers.get(frame.id)?.resolve(frame);
      this.#answers.delete(frame.id);
    }
    this.#letGo();
  }

  #letGo(): void {
    if (this.#answers.size === 0 && !this.#takers.expects()) this.#sockets?.commands.unref();
  }
}

interface Waiting {
  readonly resolve: (answer: Frame) => void;
  readonly reject: (exit: ChildExited) => void;
}

const write = (socket: Socket | undefined, parts: readonly Uint8Array[]): void => {
  if (socket === undefined || socket.destroyed) return;
  if (parts.length > 1) socket.cork();
  for (const part of parts) socket.write(part);
  if (parts.length > 1) socket.uncork();
};
