import { PipelineError } from "@tritype/core";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { BuildOutcome, BuildThreadStart } from "./build-messages.ts";
import { closeGate, openGate } from "./commit-gate.ts";
import { ofMachine } from "../describe-error.ts";

/** Rebuilds a project in a separate thread from the serving one. */
export interface BuildThread {
  /** Runs one build at a time. Never rejects. @param output The build folder, which must not have changed. */
  build(output?: string): Promise<BuildOutcome>;
  /** Waits for a running build, for at most 5 s, and then ends it. A build that is replacing files is never interrupted. */
  close(): Promise<void>;
  /** Waits until no build replaces files, and keeps builds from doing so. */
  endCommits(): Promise<void>;
}

// Node 20 cannot load `.ts` in a worker, so when running from source (as under vitest), the built file is started.
const entry = new URL("./build-worker.js", import.meta.url.replace("/src/dev/", "/dist/dev/"));
/** Every build imports a bundle, whose memory its thread never releases. */
const buildsPerThread = 20;
const patienceMs = 5000;

/** Starts immediately, so that the thread is warm when the first build is needed. */
export const openBuildThread = (given: Omit<BuildThreadStart, "gate">): BuildThread => {
  const start = { ...given, gate: openGate() };
  let thread: Thread | undefined = startThread(start);
  let builds = 0;
  let running: Promise<BuildOutcome> | undefined;
  let isClosing = false;
  const build = async (output: string | undefined): Promise<BuildOutcome> => {
    thread ??= startThread(start);
    const outcome = await thread.build(output);
    builds++;
    if (isClosing) return outcome;
    if (thread.ended() || builds >= buildsPerThread) {
      const old = thread;
      thread = undefined;
      builds = 0;
      await old.end();
      thread = startThread(start);
    }
    return outcome;
  };
  const patiently = () => Promise.race([running, sleep(patienceMs, undefined, { ref: false })]);
  const endCommits = async (): Promise<void> => {
    // After its commit, the build still releases its lock.
    if (await closeGate(start.gate, () => thread?.ended() ?? true)) await patiently();
  };
  return {
    endCommits,
    build: async (output) => {
      running = build(output);
      try {
        return await running;
      } finally {
        running = undefined;
      }
    },
    close: async () => {
      isClosing = true;
      await patiently();
      await endCommits();
      await thread?.end();
    },
  };
};

interface Thread {
  readonly build: (output: string | undefined) => Promise<BuildOutcome>;
  readonly ended: () => boolean;
  readonly end: () => Promise<unknown>;
}

const startThread = (start: BuildThreadStart): Thread => {
  const worker = new Worker(entry, { workerData: start, execArgv: [] });
  let why: string | undefined;
  let settle: (outcome: BuildOutcome) => void = () => {};
  const died = (text: string): void => {
    why ??= text;
    settle({ kind: "failed", exitCode: 1, inputs: [], notes: [`error: ${why}`] });
  };
  worker.on("message", (outcome: BuildOutcome) => settle(outcome));
  worker.on("error", (error) => {
    const known = ofMachine(error);
    died(
      PipelineError.is(known)
        ? `${known.message}\n  = help: ${known.help}`
        : `your code threw after it was loaded: ${textOf(error)}`,
    );
  });
  worker.on("exit", (code) => died(`your code stopped the build with process.exit(${code})`));
  return {
    build: (output) =>
      new Promise((resolve) => {
        settle = resolve;
        if (why === undefined) worker.postMessage({ output }, []);
        else died(why);
      }),
    ended: () => why !== undefined,
    end: () => worker.terminate(),
  };
};

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
