import { keepThread, takeThread } from "./idle-threads.ts";

/** Messages from a model's thread: first whether the model could be opened, then responses by request number. */
export type FromThread<Answer, Report = never> =
  /** Messages that the thread sends in between. */
  | { readonly kind: "report"; readonly report: Report }
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "answers"; readonly answers: readonly Answer[] }
  /** The thread has no model any more. */
  | { readonly kind: "released" };

/** Tells a thread to open a model. */
export interface OpenThread<Start = object> {
  readonly kind: "open";
  readonly start: Start;
}

/** Tells a thread to release its model. */
interface StopThread {
  readonly kind: "stop";
}

/** A model opened in its own thread. */
export interface ModelThread<Message, Answer> {
  /** Number of pending responses; infinite after the thread has ended. */
  readonly load: () => number;
  /**
   * Rejects if the thread has ended or ends.
   * @param send Sends the request, immediately or later, with the given number.
   */
  ask(send: (id: number) => void): Promise<Answer>;
  /** Does nothing if the thread has ended. */
  post(message: Message, transfer?: readonly ArrayBuffer[]): void;
  /** Waits for pending responses, then releases the model, once. Another model may then get the thread. */
  close(): Promise<void>;
}

interface Pending<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens a model in a thread that runs `name`, a built file next to the module at `importer`; rejects with the thread's message if it cannot open
 * the model. A thread without requests does not keep the process alive.
 * @param onReport Receives what the thread reports in between. Default: it reports nothing.
 * @param ended The error for calls if the thread ends unexpectedly.
 */
export const openModelThread = async <Message, Answer extends { readonly id: number }, Report = never>(
  name: string,
  importer: string,
  start: object,
  ended: string,
  onReport: (report: Report) => void = () => {},
): Promise<ModelThread<Message, Answer>> => {
  const file = builtFile(name, importer);
  const worker = takeThread(file);
  const pending = new Map<number, Pending<Answer>>();
  let endRelease = (): void => {};
  const released = new Promise<void>((resolve) => (endRelease = resolve));
  let nextId = 0;
  let broken: Error | undefined;
  let idle: (() => void) | undefined;
  let closed: Promise<void> | undefined;

  const settle = (id: number): Pending<Answer> | undefined => {
    const waiting = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) {
      worker.unref();
      idle?.();
    }
    return waiting;
  };
  const post = (message: Message | OpenThread | StopThread, transfer: readonly ArrayBuffer[] = []): void => {
    if (broken === undefined) worker.postMessage(message, transfer);
  };
  const close = async (): Promise<void> => {
    if (pending.size > 0)
      await new Promise<void>((resolve) => {
        idle = resolve;
      });
    worker.ref();
    post({ kind: "stop" });
    // The thread does not answer later requests.
    broken ??= new Error(ended);
    await released;
  };
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      broken ??= error;
      reject(error);
      endRelease();
      for (const id of pending.keys()) settle(id)?.reject(error);
    };
    const onError = (error: unknown): void => fail(error instanceof Error ? error : new Error(String(error)));
    const onExit = (): void => fail(new Error(ended));
    const onMessage = (message: FromThread<Answer, Report>): void => {
      if (message.kind === "answers")
        for (const answer of message.answers) settle(answer.id)?.resolve(answer);
      else if (message.kind === "report") onReport(message.report);
      else if (message.kind === "ready") resolve();
      else if (message.kind === "refused") reject(new Error(message.text));
      else {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        keepThread(file, worker);
        endRelease();
      }
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    post({ kind: "open", start });
  });
  worker.unref();
  return {
    load: () => (broken === undefined ? pending.size : Number.POSITIVE_INFINITY),
    ask: (send) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) {
          reject(broken);
          return;
        }
        const id = nextId++;
        if (pending.size === 0) worker.ref();
        pending.set(id, { resolve, reject });
        send(id);
      }),
    post,
    close: () => (closed ??= close()),
  };
};

/** Node 20 cannot load `.ts` in a worker, so sources (as under vitest) start the built file. */
const builtFile = (name: string, importer: string): URL => new URL(name, importer.replace("/src/", "/dist/"));
