import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InferenceSession } from "onnxruntime-node";
import { idleLoop } from "./idle-loop.ts";
import { movingAverage } from "./moving-average.ts";
import { type Ort, runSession } from "./run-session.ts";
import type { SessionRun, TravellingTensor, WorkerStart } from "./worker-messages.ts";

/**
 * Runs in the calling thread, for models that take less time than waking another thread and passing tensors to it. The model is opened a
 * second time, once enough runs in its own thread were short.
 */
export interface ShortRuns {
  /** A run in this thread; undefined if the model, or these inputs, belong in the model's own thread. */
  run(inputs: readonly TravellingTensor[], outputs: readonly string[]): Promise<SessionRun> | undefined;
  /** Whether two short runs have met here lately. */
  crowded(): boolean;
  /** Takes note of a run in the model's own thread. */
  learn(ran: SessionRun): void;
  /** Releases the second session. Call it when no run is in progress. */
  close(): Promise<void>;
}

/** Microseconds that a short run takes on average. Passing tensors to another thread and back takes this thread about as long. */
const short = 100;
/** The same while this thread would only wait: then a request gains the 300 that two wake-ups take. */
const shortWhileIdle = 300;
/** Average from which on a model runs in its own thread again: a run that computes for long delays all other requests. */
const long = 600;
/** Number of consecutive runs in the model's own thread that must be short. */
const enough = 32;
/** Once two runs meet here, this number of later ones go to the model's own thread, which then gets many with one message. */
const afterCrowd = 32;
/** Largest inputs of a run, and largest version folder of a model that is opened twice, in bytes. */
const largestInputs = 262_144;
const largestModel = 1_048_576;

interface OpenedModel {
  readonly ort: Ort;
  readonly session: InferenceSession;
}

/**
 * Call it before the model is opened in its own thread, so that a later change of its files is noticed.
 * @param isIdle Whether the calling thread mostly waits for others.
 */
export const prepareShortRuns = async (
  { model, options }: WorkerStart,
  isIdle: () => boolean = idleLoop(),
  run: typeof runSession = runSession,
): Promise<ShortRuns> => {
  let opened: OpenedModel | undefined;
  let opening: Promise<void> | undefined;
  let typical = movingAverage();
  let seen = 0;
  let running = 0;
  /** The number of runs that are still to go to the model's own thread. */
  let turnedAway = 0;
  const isOnCpu = (options.executionProviders ?? []).every((provider) => provider === "cpu");
  const folder = typeof model === "string" && isOnCpu ? dirname(model) : undefined;
  const before = folder === undefined ? undefined : await filesIn(folder).catch(() => undefined);
  let possible = before !== undefined && before.size <= largestModel;

  const open = async (): Promise<void> => {
    possible = false;
    const { default: ort } = await import("onnxruntime-node");
    ort.env.logLevel = "fatal";
    // A short run ends before other threads would wake up, so the session has none.
    const session = await ort.InferenceSession.create(model as string, { ...options, intraOpNumThreads: 1 });
    const now = await filesIn(folder as string);
    if (now.stamp === before?.stamp) [opened, possible] = [{ ort, session }, true];
    else await session.release();
  };
  const note = (took: number): void => {
    seen++;
    typical.add(took);
    if (typical.value() < long) return;
    seen = 0;
    typical = movingAverage();
  };
  const runNoted = async (
    { ort, session }: OpenedModel,
    inputs: readonly TravellingTensor[],
    outputs: readonly string[],
  ): Promise<SessionRun> => {
    running++;
    try {
      const ran = await run(ort, session, inputs, outputs);
      note(ran.took);
      return ran;
    } finally {
      running--;
    }
  };
  const areShort = (): boolean =>
    possible && seen >= enough && typical.value() <= (isIdle() ? shortWhileIdle : short);
  return {
    run: (inputs, outputs) => {
      if (opened === undefined || !areShort()) return undefined;
      if (sizeOf(inputs) > largestInputs || inputs.some(isHalf)) return undefined;
      if (running > 0) turnedAway = afterCrowd;
      else if (turnedAway > 0) turnedAway--;
      if (turnedAway > 0) return undefined;
      return runNoted(opened, inputs, outputs);
    },
    learn: ({ took, outputs }) => {
      possible &&= !outputs.some(isHalf);
      note(took);
      if (areShort()) opening ??= open().catch(() => undefined);
    },
    crowded: () => turnedAway > 0,
    close: async () => {
      await opening;
      const last = opened;
      opened = undefined;
      await last?.session.release();
    },
  };
};

/** Only a worker can hide the class that keeps onnxruntime-node from accepting FP16 (threads/ort.ts). */
const isHalf = ({ dtype }: TravellingTensor): boolean => dtype === "FP16";

const sizeOf = (inputs: readonly TravellingTensor[]): number =>
  inputs.reduce((sum, { data }) => sum + data.length, 0);

/** The files of a version: a small model may have large weights next to it. The stamp changes when a file does. */
const filesIn = async (folder: string): Promise<{ readonly size: number; readonly stamp: string }> => {
  const names = (await readdir(folder, { recursive: true })).toSorted();
  const found = await Promise.all(names.map((name) => stat(join(folder, name))));
  return {
    size: found.reduce((sum, { size }) => sum + size, 0),
    stamp: found.map(({ ino, size, mtimeMs }, i) => `${names[i]} ${ino} ${size} ${mtimeMs}`).join("\n"),
  };
};
