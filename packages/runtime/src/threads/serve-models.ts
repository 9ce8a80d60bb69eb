import { parentPort } from "node:worker_threads";
import { invariant, messageOf } from "@tritype/core";
import type { FromThread, OpenThread } from "./model-thread.ts";

/** A model in this thread. */
export interface OpenModel<Message> {
  receive(message: Message): void;
  /** Waits for runs in progress. */
  release(): Promise<unknown>;
}

/** Serves the models that the main thread opens here, one after the other. If `open` rejects, the thread ends. */
export const serveModels = <Start, Message extends { readonly kind: string }, Answer, Report = never>(
  open: (
    start: Start,
    post: (message: FromThread<Answer, Report>, transfer?: readonly ArrayBuffer[]) => void,
  ) => Promise<OpenModel<Message>>,
): void => {
  invariant(parentPort !== null, "a model runs in a worker thread");
  const port = parentPort;
  const post = (message: FromThread<Answer, Report>, transfer: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, [...transfer]);
  let model: OpenModel<Message> | undefined;
  const start = async (given: Start): Promise<void> => {
    try {
      model = await open(given, post);
      post({ kind: "ready" });
    } catch (error) {
      post({ kind: "refused", text: messageOf(error) });
      port.close();
    }
  };
  port.on("message", (message: { readonly kind: string }) => {
    if (message.kind === "open") void start((message as OpenThread<Start>).start);
    else if (message.kind === "stop") void model?.release().then(() => post({ kind: "released" }));
    else model?.receive(message as Message);
  });
};
