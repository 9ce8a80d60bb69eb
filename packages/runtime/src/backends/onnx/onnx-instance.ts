import { Worker } from "node:worker_threads";
import { monotonic } from "./monotonic.ts";
import { owned } from "./travel.ts";
import type {
  FromWorker,
  ToWorker,
  TravellingTensor,
  WorkerAnswer,
  WorkerRun,
  WorkerStart,
} from "./worker-messages.ts";

/** What a run made. */
export interface OnnxRun {
  readonly outputs: readonly TravellingTensor[];
  /** How long `session.run` took, in microseconds. */
  readonly took: number;
  /** How long it waited in the thread for runs before it, in microseconds. */
  readonly waited: number;
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
  /** Microseconds of the monotonic clock. */
  readonly sent: number;
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
  let outbox: WorkerRun[] = [];
  let lastEnd = 0;
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
  const take = (answer: WorkerAnswer): void => {
    const waiting = settle(answer.id);
    if ("failure" in answer) {
      waiting?.reject(new Error(answer.failure));
      return;
    }
    const { outputs, took, ended } = answer;
    waiting?.resolve({ outputs, took, waited: Math.max(0, lastEnd - waiting.sent) });
    lastEnd = ended;
  };
  worker.on("message", (message: FromWorker) => {
    if (message.kind === "answers") message.answers.forEach(take);
    else if (message.kind === "ready") opened();
    else refused(new Error(message.message));
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("the model's thread has ended")));
  const post = (message: ToWorker, transfer: readonly ArrayBuffer[] = []): void =>
    worker.postMessage(message, transfer);
  const send = (runs: readonly WorkerRun[]): void =>
    post({ kind: "run", runs }, owned(runs.flatMap(({ inputs }) => inputs)));
  const sendOutbox = (): void => {
    const runs = outbox;
    outbox = [];
    if (broken === undefined) send(runs);
  };

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
        const run = { id: nextId++, inputs, outputs };
        const idle = pending.size === 0;
        pending.set(run.id, { sent: monotonic(), resolve, reject });
        if (idle) {
          worker.ref();
          send([run]);
          return;
        }
        // It waits in the thread anyway: those that come in the same turn travel together.
        outbox.push(run);
        if (outbox.length === 1) setImmediate(sendOutbox);
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
