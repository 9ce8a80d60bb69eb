import { messageOf } from "@tritype/core";
import type { Asker } from "../backend.ts";
import { askStream } from "./ask-model.ts";
import { packBlsResult, unpackBlsRequest } from "./bls-message.ts";
import type { CallAnswer } from "./call-answer.ts";
import { createRoom } from "../streaming/room.ts";
import { type Frame, frameType } from "./frame.ts";
import type { ModelHost } from "./model-host.ts";
import { Packer } from "./packed.ts";

/** The streams that one process reads from other models (`exec(decoupled=True)`), by the id of the call. */
export interface BlsStreams {
  /** Passes the messages to `tell`, a few ahead of those that the process has read. Never throws. */
  open(frame: Frame, asker: Asker, tell: (answer: CallAnswer) => void): Promise<void>;
  /** The process has read a message. */
  read(id: number): void;
  /** The iterator was dropped. */
  drop(id: number): void;
  /** The process has ended. */
  close(): void;
}

interface OpenStream {
  /** Keeps track of the messages that the process has not read. */
  readonly room: ReturnType<typeof createRoom>;
  leave: (() => void) | undefined;
}

const mostUnread = 8;
/** Bits of a message. */
const [final, response] = [1, 2];

export const createBlsStreams = (host: ModelHost): BlsStreams => {
  const streams = new Map<number, OpenStream>();
  const drop = (id: number): void => {
    const stream = streams.get(id);
    streams.delete(id);
    stream?.leave?.();
    stream?.room.leave();
  };
  return {
    open: async (frame, asker, tell) => {
      const send = (flags: number, result?: Parameters<typeof packBlsResult>[0]): void => {
        const packed = result === undefined ? undefined : packBlsResult(result);
        const meta = [new Packer().u8(flags).finish(), ...(packed === undefined ? [] : [packed.meta])];
        tell({
          type: frameType.blsResult,
          meta: Buffer.concat(meta),
          ...(packed === undefined ? {} : { body: packed.body }),
        });
      };
      const stream: OpenStream = { room: createRoom(mostUnread), leave: undefined };
      streams.set(frame.id, stream);
      try {
        const asked = askStream(host, unpackBlsRequest(frame), { ...asker, signal: undefined });
        if ("error" in asked) {
          send(final | response, asked);
          return;
        }
        stream.leave = () => void asked.return();
        for await (const message of asked) {
          const result = message.error === undefined ? message.response : { error: messageOf(message.error) };
          send((message.final ? final : 0) | (result === undefined ? 0 : response), result);
          stream.room.take();
          if (streams.has(frame.id)) await stream.room.free();
        }
      } catch (error) {
        send(final | response, { error: messageOf(error) });
      } finally {
        streams.delete(frame.id);
      }
    },
    read: (id) => streams.get(id)?.room.leave(),
    drop,
    close: () => {
      for (const id of streams.keys()) drop(id);
    },
  };
};
