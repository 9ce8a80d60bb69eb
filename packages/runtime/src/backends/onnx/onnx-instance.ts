import { Worker } from "node:worker_threads";
import { owned } from "./travel.ts";
import type { FromWorker, ToWorker, TravellingTensor, WorkerStart } from "./worker-messages.ts";

/** What a run made. */
export interface OnnxRun {
  readonly outputs: readonly TravellingTensor[];
  /** How long `session.run` took, in microseconds. */
  readonly took: number;
}

/** A model opened in a thread of its own. */
export interface OnnxInstance {
  /** Runs under way or waiting in the thread. */
  readonly load: () => number;
  /** Rejects with ONNX Runtime's own text. The memory of `inputs` changes its owner. */
  run(inputs: readonly TravellingTensor[], outputs: readonly string[]): Promise<OnnxRun>;
  /** Waits for the runs under way, then ends the thread: a thread ended within a run takes the whole process down. */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (run: OnnxRun) => void;
  readonly reject: (error: Error) => void;
}

// Node 20 loads no `.ts` in a worker, so sources (as under vitest) start the built file beside them.
const entry = new URL(
  "./onnx-worker.js",
  import.meta.url.replace("/src/backends/onnx/", "/dist/backends/onnx/"),
);

/** Starts a thread and opens the model there; rejects with ONNX Runtime's own text. */
export const openOnnxInstance = async (start: WorkerStart): Promise<OnnxInstance> => {
  const worker = new Worker(entry, { workerData: start, execArgv: [] });
  const pending = new Map<number, Pending>();
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  let nextId = 0;
  let idle: (() => void) | undefined;
  let broken: Error | undefined;
  let opened: () => void = () => {};
  let refused: (error: Error) => void = () => {};
  const opening = new Promise<void>((resolve, reject) => {
    opened = resolve;
    refused = reject;
  });

  const settle = (id: number): Pending | undefined => {
    const waiting = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) {
      worker.unref();
      idle?.();
    }
    return waiting;
  };
  const fail = (error: Error): void => {
    broken ??= error;
    refused(error);
    for (const id of pending.keys()) settle(id)?.reject(error);
  };
  worker.on("message", (message: FromWorker) => {
    if (message.kind === "done") settle(message.id)?.resolve(message);
    else if (message.kind === "failed") settle(message.id)?.reject(new Error(message.message));
    else if (message.kind === "ready") opened();
    else refused(new Error(message.message));
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the model's thread has ended")));
  const post = (message: ToWorker, transfer: readonly ArrayBuffer[] = []): void =>
    worker.postMessage(message, transfer);

  await opening;
  // An idle thread does not keep the process alive.
  worker.unref();
  return {
    load: () => (broken === undefined ? pending.size : Number.POSITIVE_INFINITY),
    run: (inputs, outputs) =>
      new Promise((resolve, reject) => {
        if (broken !== undefined) {
          reject(broken);
          return;
        }
        const id = nextId++;
        pending.set(id, { resolve, reject });
        worker.ref();
        post({ kind: "run", id, inputs, outputs }, owned(inputs));
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
