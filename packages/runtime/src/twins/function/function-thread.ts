import { Worker } from "node:worker_threads";
import { messageOf } from "@tritype/core";
import { type CancelSignal, onAbort } from "../../scheduling/cancellation.ts";
import { inOwnMemory } from "../../scheduling/in-own-memory.ts";
import type { FromFunction, FunctionAnswer, FunctionCall, FunctionStart } from "./function-messages.ts";

/** A function in its own thread, one call at a time. */
export interface FunctionThread {
  /**
   * Resolves with the function's result or failure, including a timeout.
   * @param signal Aborted when no caller is waiting anymore: a call that has not begun is dropped.
   */
  call(call: FunctionCall, signal?: CancelSignal): Promise<FunctionAnswer>;
  close(): Promise<void>;
}

interface Waiting {
  readonly call: FunctionCall;
  readonly settle: (answer: FunctionAnswer) => void;
  /** Called when the call starts to run and can no longer be dropped. */
  readonly started: () => void;
}

// Node 20 cannot load `.ts` in a worker, so sources (as under vitest) start the built file.
const entry = new URL(
  "./function-worker.js",
  import.meta.url.replace("/src/twins/function/", "/dist/twins/function/"),
);

/**
 * Starts the thread; rejects with the module's error message. A call that exceeds the time limit ends the
 * thread, and another one is started.
 */
export const openFunctionThread = async (start: FunctionStart): Promise<FunctionThread> => {
  const queue: Waiting[] = [];
  let worker: Worker | undefined;
  let running: Waiting | undefined;
  let timer: NodeJS.Timeout | undefined;
  let restarting = false;
  let closed = false;

  const settle = (answer: FunctionAnswer): void => {
    clearTimeout(timer);
    const done = running;
    running = undefined;
    if (queue.length === 0) worker?.unref();
    done?.settle(answer);
    next();
  };
  const next = (): void => {
    if (running !== undefined || worker === undefined) return;
    running = queue.shift();
    if (running === undefined) return;
    running.started();
    worker.ref();
    worker.postMessage(withoutBatch(running.call), []);
    const { timeLimit } = start.options;
    // Reads pending data first, because the delay may have been in this thread.
    const expired = (): void => void setImmediate(() => setImmediate(end, running));
    timer = setTimeout(expired, Math.ceil(timeLimit / 1000));
  };
  const end = (overdue: Waiting | undefined): void => {
    if (overdue === undefined || running !== overdue) return;
    const slow = worker;
    worker = undefined;
    const text = `the request took longer than ${start.options.timeLimit / 1e6} s`;
    settle({ kind: "failure", code: "model/failed", text });
    void slow?.terminate();
    void restart();
  };
  const restart = async (): Promise<void> => {
    restarting = true;
    try {
      const opened = await open(start, died);
      restarting = false;
      if (closed) void opened.terminate();
      else worker = adopt(opened);
      next();
    } catch (error) {
      restarting = false;
      fail(messageOf(error));
    }
  };
  const fail = (text: string): void => {
    const failure = { kind: "failure", code: "model/failed", text } as const;
    for (const { settle: refuse, started } of [
      ...(running === undefined ? [] : [running]),
      ...queue.splice(0),
    ]) {
      started();
      refuse(failure);
    }
    running = undefined;
    clearTimeout(timer);
  };
  const died = (dead: Worker, text: string): void => {
    if (dead !== worker) return;
    worker = undefined;
    if (running !== undefined) settle({ kind: "failure", code: "model/failed", text });
    if (!closed) void restart();
  };
  const adopt = (opened: Worker): Worker => {
    opened.on("message", (message: FromFunction) => {
      if (opened === worker && (message.kind === "answer" || message.kind === "failure")) settle(message);
    });
    return opened;
  };

  worker = adopt(await open(start, died));
  return {
    call: (call, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve(abandoned);
          return;
        }
        const started = onAbort(signal, () => {
          queue.splice(queue.indexOf(waiting), 1);
          resolve(abandoned);
        });
        const waiting: Waiting = { call, settle: resolve, started };
        queue.push(waiting);
        if (closed) fail(unloaded);
        // After a failed start, each call tries again.
        else if (worker === undefined && !restarting) void restart();
        else next();
      }),
    close: async () => {
      closed = true;
      fail(unloaded);
      await worker?.terminate();
    },
  };
};

/** A message contains all the memory that its tensors are views of. */
const withoutBatch = ({ inputs, outputs }: FunctionCall): FunctionCall => ({
  inputs: inputs.map(([name, one]) => [name, one.dtype === "BYTES" ? one : inOwnMemory(one)]),
  outputs,
});

const unloaded = "the model was unloaded";
const abandoned = { kind: "failure", code: "request/cancelled", text: "Request was cancelled" } as const;

/** A thread that has loaded the module; an idle one does not keep the process alive. */
const open = (start: FunctionStart, died: (dead: Worker, text: string) => void): Promise<Worker> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: start, execArgv: [], env: {} });
    worker.once("message", (message: FromFunction) => {
      if (message.kind !== "ready") {
        reject(new Error(message.kind === "refused" ? message.text : "it sent an unexpected message"));
        return;
      }
      worker.unref();
      resolve(worker);
    });
    worker.on("error", (error: unknown) => {
      const text = messageOf(error);
      reject(new Error(text));
      died(worker, text);
    });
    worker.on("exit", () => {
      reject(new Error("the function's thread has ended"));
      died(worker, "the function's thread has ended");
    });
  });
