import { setMaxListeners } from "node:events";
import type { Clock } from "./clock.ts";
import { closedLoop, type LoopContext } from "./closed-loop.ts";
import type { Load } from "./load.ts";
import { openLoop } from "./open-loop.ts";
import { shuffledForever } from "./random.ts";
import { createRecorder, type Progress, type Recording } from "./recorder.ts";
import type { Connection, Target } from "./target.ts";

export interface RunLoadOptions {
  readonly load: Load;
  readonly target: Target;
  readonly clock: Clock;
  /** Sent like the others, but not recorded. */
  readonly warmMs: number;
  readonly measureMs: number;
  /** How long to wait for the last responses. */
  readonly drainMs: number;
  /** The same if `signal` ends the load. Default: `drainMs`. */
  readonly stopMs?: number;
  /** Seed for the order of requests. */
  readonly seed: number;
  /** Position of the next request, instead of a random order. */
  readonly next?: (() => number) | undefined;
  /** Ends the load early; the result contains the measurements so far. */
  readonly signal: AbortSignal;
  /** Called once, with a view of the running load. */
  readonly onStart?: (progress: () => Progress) => void;
  /** Called when the window begins, while the load is running. */
  readonly onMeasure?: () => void;
}

/** Runs one load: warms up, measures, waits for the last responses, and closes every connection. */
export const runLoad = async (options: RunLoadOptions): Promise<Recording> => {
  const { load, target, clock, warmMs, measureMs, drainMs, seed, signal, onStart, onMeasure } = options;
  const { stopMs = drainMs } = options;
  const from = clock.now() + warmMs;
  const end = from + measureMs;
  const recorder = createRecorder(from, end);
  const connections: Connection[] = [];
  const over = new AbortController();
  const ending = AbortSignal.any([signal, over.signal]);
  // Every client may be waiting for a response.
  setMaxListeners(0, ending);
  const context: LoopContext = {
    target,
    clock,
    recorder,
    next: options.next ?? shuffledForever(target.requests, seed),
    end,
    signal: ending,
    opened: (connection) => void connections.push(connection),
  };
  let stopped: number | undefined;
  const stop = (): void => recorder.stop((stopped ??= clock.now()));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const patience = async (): Promise<void> => {
    await clock.until(from, ending);
    if (!ending.aborted) onMeasure?.();
    await clock.until(end, ending);
    await clock.until(clock.now() + drainMs, ending);
    if (stopped !== undefined) await clock.until(stopped + stopMs, over.signal);
  };
  onStart?.(() => recorder.progress());
  const loop = load.kind === "closed" ? closedLoop(load.clients, context) : openLoop(load, context);
  const patient = patience();
  await Promise.race([loop, patient]);
  signal.removeEventListener("abort", stop);
  const recording = recorder.finish();
  over.abort();
  for (const connection of connections) connection.close();
  await Promise.all([loop, patient]);
  return recording;
};
