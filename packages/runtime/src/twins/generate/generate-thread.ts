import { Worker } from "node:worker_threads";
import type {
  FromThread,
  GenerateAnswer,
  GenerateCall,
  GenerateStart,
  ToThread,
} from "./generate-messages.ts";

/** A loop in a thread of its own. */
export interface GenerateThread {
  /** Rejects when the thread has ended. */
  execute(
    calls: readonly GenerateCall[],
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<readonly GenerateAnswer[]>;
  /** Waits for the loops under way, then ends the thread: one ended within a run takes the whole process down. */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (answers: readonly GenerateAnswer[]) => void;
  readonly reject: (error: Error) => void;
}

// Node 20 loads no `.ts` in a worker, so sources (as under vitest) start the built file.
const entry = new URL(
  "./generate-worker.js",
  import.meta.url.replace("/src/twins/generate/", "/dist/twins/generate/"),
);

/** Starts the thread and opens the model there; rejects with ONNX Runtime's own text. */
export const openGenerateThread = async (start: GenerateStart): Promise<GenerateThread> => {
  const worker = new Worker(entry, { workerData: start, execArgv: [] });
  const post = (message: ToThread): void => worker.postMessage(message, []);
  const pending = new Map<number, Pending>();
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  let nextId = 0;
  let broken: Error | undefined;
  let idle: (() => void) | undefined;
  const settle = (id: number): Pending | undefined => {
    const waiting = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) {
      worker.unref();
      idle?.();
    }
    return waiting;
  };
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      broken ??= error;
      reject(error);
      for (const id of pending.keys()) settle(id)?.reject(broken);
    };
    worker.on("message", (message: FromThread) => {
      if (message.kind === "answers") settle(message.id)?.resolve(message.answers);
      else if (message.kind === "ready") resolve();
      else reject(new Error(message.text));
    });
    worker.on("error", (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", () => fail(new Error("the loop's thread has ended")));
  });
  // An idle thread does not keep the process alive.
  worker.unref();
  return {
    execute: (calls, signals) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) {
          reject(broken);
          return;
        }
        const id = nextId++;
        const stops = signals.map((signal, call) => {
          const cancel = (): void => post({ kind: "cancel", id, call });
          if (signal?.aborted === true) cancel();
          signal?.addEventListener("abort", cancel, { once: true });
          return () => signal?.removeEventListener("abort", cancel);
        });
        const stop = (): void => stops.forEach((one) => one());
        pending.set(id, {
          resolve: (answers) => {
            stop();
            resolve(answers);
          },
          reject: (error) => {
            stop();
            reject(error);
          },
        });
        worker.ref();
        post({ kind: "execute", id, calls });
      }),
    close: async () => {
      if (pending.size > 0)
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      worker.ref();
      if (broken === undefined) post({ kind: "stop" });
      await exited;
    },
  };
};
