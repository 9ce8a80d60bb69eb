import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "@tritype/core";
import { type Environment, runCommand } from "@tritype/wheels";
import { readProblem } from "./server-log.ts";

/** A started server program and its output. */
export interface ServerProcess {
  /** undefined if it could not be started. */
  readonly pid: number | undefined;
  log(): string;
  problems(): readonly string[];
  /** "exit code 1" or "signal SIGKILL" once it has ended. */
  exit(): string | undefined;
  /** Resolves to the value of `exit`. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly env: Environment;
  readonly onLine?: (line: string) => void;
  /** Changes each line of the program's output before it is read. */
  readonly shown?: (line: string) => string;
  /** Ends the server. If it ignores SIGTERM for 10 s, its process group is killed. */
  readonly killCommand?: readonly [string, ...string[]];
}

/** The log is cut to this length whenever it is twice as long, because a cut at each line would copy it each time. */
const logLimit = 4 * 1024 * 1024;
const stopLimit = 10_000;
/** Triton's last log line: all models are unloaded, and the rest of the shutdown only takes time. */
const drained = /Found 0 live models and 0 in-flight non-inference requests/;

/** Starts a server in its own process group, so that Ctrl-C in a terminal reaches it only through `stop()`. */
export function startProcess(
  [program, ...rest]: readonly [string, ...string[]],
  options: StartOptions,
): ServerProcess {
  const child = spawn(program, rest, {
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  let log = "";
  let exit: string | undefined;
  let stopping = false;
  const problems: string[] = [];
  const read = (written: string): void => {
    const line = options.shown?.(written) ?? written;
    log += `${line}\n`;
    if (log.length > 2 * logLimit) log = log.slice(-logLimit);
    const problem = readProblem(line);
    if (problem !== undefined && !problems.includes(problem)) problems.push(problem);
    options.onLine?.(line);
    if (stopping && drained.test(line)) child.kill("SIGKILL");
  };
  for (const stream of [child.stdout, child.stderr]) readLines(stream, read);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve((exit = error.message)));
    // A server that dies leaves its Python stubs, which keep its pipes open.
    child.once("exit", () => {
      if (options.killCommand === undefined && child.pid !== undefined) killGroup(child.pid);
    });
    child.once("close", (code, signal) => {
      resolve((exit ??= code === null ? `signal ${signal}` : `exit code ${code}`));
    });
  });
  const endWithParent = (): void => void child.kill("SIGTERM");
  process.once("exit", endWithParent);
  void ended.then(() => process.removeListener("exit", endWithParent));

  const stop = async (): Promise<void> => {
    if (exit !== undefined) return;
    stopping = true;
    const shared = child.pid === undefined ? [] : sharedMemoryOf(child.pid);
    child.kill("SIGTERM");
    const late = new AbortController();
    const timer = sleep(stopLimit, "late" as const, { signal: late.signal }).catch(() => "aborted" as const);
    const first = await Promise.race([ended, timer]);
    late.abort();
    if (first === "late") {
      if (options.killCommand !== undefined) await runCommand(options.killCommand);
      else if (child.pid !== undefined) killGroup(child.pid);
      await ended;
    }
    for (const file of shared) rmSync(file, { force: true });
  };
  return { pid: child.pid, log: () => log, problems: () => [...problems], exit: () => exit, ended, stop };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

function readLines(stream: NodeJS.ReadableStream, read: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) read(line);
  });
  stream.on("end", () => {
    if (rest !== "") read(rest);
  });
}

/**
 * Shared memory files through which Triton's process talks to its Python stubs. A server that is killed leaves them
 * behind, and they use memory until the machine restarts. Only read them while the server runs; [] if the system
 * has no `/proc`.
 */
const sharedMemoryOf = (pid: number): readonly string[] =>
  attempt(() => {
    const maps = readFileSync(`/proc/${pid}/maps`, "utf8");
    return [...new Set(maps.match(/\/dev\/shm\/triton_\S+/g))];
  }) ?? [];
