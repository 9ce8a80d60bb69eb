import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { main } from "@tritype/cli";
import pc from "picocolors";
import { onTestFinished } from "vitest";
import type { ProjectFixture } from "../fixtures/project.ts";
import { inject } from "./fault.mjs";

const bin = fileURLToPath(new URL("../../packages/tritype/bin/pipeline.js", import.meta.url));
const fault = new URL("./fault.mjs", import.meta.url).href;
const jumping = new URL("./jumping-clock.mjs", import.meta.url).href;

/** The exit code and the output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A fault such as `renameSync:2:SIGKILL`, which happens at the second call of that node:fs function (fault.mjs). */
  readonly fault?: string;
  /** Whether the wall clock keeps jumping by an hour (jumping-clock.mjs). */
  readonly jumpingClock?: boolean;
  readonly cwd?: string;
  /** The Node executable that runs the command. Default: that of this process. */
  readonly node?: string;
}

/** A running command. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves to the first match in stderr. Rejects if the command ends first. */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly err: () => string;
}

/** Starts `pipeline` with these arguments in the project's folder, as a user would. It is killed when the test ends. */
export const startPipeline = (
  project: Pick<ProjectFixture, "root">,
  args: readonly string[],
  {
    env = {},
    fault: failure,
    jumpingClock = false,
    cwd = project.root,
    node = process.execPath,
  }: RunOptions = {},
): Running => {
  const child = spawn(node, [...(jumpingClock ? ["--import", jumping] : []), bin, ...args], {
    cwd,
    env: {
      ...process.env,
      // Unlike an argument, this also applies to the threads of the command.
      NODE_OPTIONS: failure === undefined ? "" : `--import=${fault}`,
      NO_COLOR: "1",
      ...(failure === undefined ? {} : { TRITYPE_TEST_FAULT: failure }),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  const { told, until } = listener(() => err);
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    told();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, out, err }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, says: (pattern) => until(pattern, ended), err: () => err };
};

/** Finds matches in a text that grows. `told` must be called after each change. */
const listener = (text: () => string) => {
  const waiting = new Set<() => void>();
  return {
    told: (): void => {
      for (const look of waiting) look();
    },
    /** Resolves to the first match. Rejects if the command ends first. */
    until: (pattern: RegExp, ended: Promise<Ended>): Promise<RegExpExecArray> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(text());
          if (match === null) return;
          waiting.delete(look);
          resolve(match);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without ${String(pattern)}:\n${text()}`)), reject);
      }),
  };
};

/** A command that runs in this process. */
export interface RunningHere extends Omit<Running, "child"> {
  /** Stops it, as Ctrl-C would. */
  readonly stop: () => Promise<Ended>;
}

/** Starts the command in this process, as `pipeline` runs it. It is stopped when the test ends. */
export const startHere = (...given: Parameters<typeof openHere>): RunningHere => {
  const running = openHere(...given);
  onTestFinished(async () => void (await running.stop()));
  return running;
};

/** Like `startHere`, for several tests: the caller stops the command. */
export const openHere = (
  project: Pick<ProjectFixture, "root">,
  args: readonly string[],
  options: Pick<RunOptions, "env" | "cwd"> = {},
): RunningHere => {
  let err = "";
  let stopNow = (): void => {};
  const stopped = new Promise<"Ctrl-C">((resolve) => (stopNow = () => resolve("Ctrl-C")));
  const { told, until } = listener(() => err);
  const onNote = (all: string): void => {
    err = all;
    told();
  };
  const ended = pipeline(project, args, { ...options, stopped, onNote });
  const stop = (): Promise<Ended> => {
    stopNow();
    return ended;
  };
  return { ended, says: (pattern) => until(pattern, ended), err: () => err, stop };
};

/** Options of a command in this process. */
export interface HereOptions extends Pick<RunOptions, "env" | "fault" | "cwd"> {
  /** Resolves when the command should stop, as after Ctrl-C. Default: never. */
  readonly stopped?: Promise<"Ctrl-C">;
  /** Called with all of stderr after each line. */
  readonly onNote?: (err: string) => void;
}

/**
 * Runs the command in this process. Tests of the process itself (signals, `process.exit()` in the user's code, stdin)
 * need `pipelineProcess`.
 */
export const pipeline = async (
  project: Pick<ProjectFixture, "root">,
  args: readonly string[],
  {
    env = {},
    fault: failure,
    cwd = project.root,
    stopped = new Promise(() => {}),
    onNote = () => {},
  }: HereOptions = {},
): Promise<Ended> => {
  let [out, err] = ["", ""];
  // Child processes of the command also get these variables.
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  const repair = failure === undefined ? undefined : inject(failure);
  try {
    const code = await main(
      args,
      {
        cwd,
        env: { ...process.env, NO_COLOR: "1" },
        colors: pc.createColors(false),
        outColors: pc.createColors(false),
        out: (text) => void (out += `${text}\n`),
        note: (text) => {
          err += `${text}\n`;
          onNote(err);
        },
        columns: undefined,
        progress: () => {},
        inputIsPiped: () => false,
        readInput: () => Promise.resolve(""),
        untilStopped: () => stopped,
        exitAfter: () => {},
      },
      "0.1.0",
    );
    return { code, signal: null, out, err };
  } finally {
    repair?.();
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};

/** Runs the command in a separate process, as a user would. */
export const pipelineProcess = (
  project: Pick<ProjectFixture, "root">,
  args: readonly string[],
  options?: RunOptions,
): Promise<Ended> => startPipeline(project, args, options).ended;
