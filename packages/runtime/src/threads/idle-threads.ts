import { Worker } from "node:worker_threads";

/** Milliseconds for which a thread without a model is kept. */
const kept = 5000;

/**
 * The threads without a model by file, each with the timer that ends it. Starting one takes 40 ms of processor time or
 * more, longer than opening a small model.
 */
const idleThreads = new Map<string, Map<Worker, NodeJS.Timeout>>();

/** A thread that runs this file and has no model: one whose model was released, or a new one. */
export const takeThread = (file: URL): Worker => {
  const [idle] = idleThreads.get(file.href) ?? [];
  if (idle === undefined) return startThread(file);
  const [worker, end] = idle;
  clearTimeout(end);
  idleThreads.get(file.href)?.delete(worker);
  worker.ref();
  return worker;
};

/** Keeps a thread whose model was released for the next model. It does not keep the process alive. */
export const keepThread = (file: URL, worker: Worker): void => {
  const idle = idleThreads.get(file.href) ?? new Map<Worker, NodeJS.Timeout>();
  worker.unref();
  const end = setTimeout(() => {
    if (idle.delete(worker)) void worker.terminate();
  }, kept);
  idleThreads.set(file.href, idle.set(worker, end.unref()));
};

const startThread = (file: URL): Worker => {
  // As in the command's bin.ts, for runtimes in other programs: no telemetry from ONNX Runtime to Microsoft.
  process.env["ORT_DISABLE_TELEMETRY"] ||= "1";
  const worker = new Worker(file, { execArgv: [] });
  const forget = (): void => void idleThreads.get(file.href)?.delete(worker);
  return worker.on("error", forget).on("exit", forget);
};
