import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { kept, runFolder } from "./folders.ts";

const exec = promisify(execFile);
const script = fileURLToPath(new URL("node.sh", import.meta.url));

/** The name of the control groups of everything in the cluster. */
export const controlGroup = "tritype-cluster";

/** Namespaces with a Debian system, for the cluster's programs. */
export interface Machine {
  /** The process whose namespaces the others enter. */
  readonly pid: number;
  /** Runs a command in the machine, and returns stdout and stderr together. Rejects with both if the command fails. */
  readonly run: (...argv: readonly string[]) => Promise<string>;
  /** Writes a file; returns its path in the machine. */
  readonly write: (name: string, content: string | Uint8Array) => Promise<string>;
}

/** A machine as seen by the process that started it. */
export interface StartedMachine extends Machine {
  /** Starts a program in it that runs until the machine stops. */
  readonly start: (name: string, ...argv: readonly string[]) => void;
  /** If a started program has ended, the last part of its output; undefined while all programs run. */
  readonly failed: () => string | undefined;
  /** Removes the machine and everything in it. */
  readonly stop: () => Promise<void>;
}

export interface MachineParts {
  /** The folder of a Debian system. */
  readonly root: string;
  /** The folder with the programs of `goPrograms`. */
  readonly programs: string;
  /** The folder of the servers' base image, at /mnt/server-base in the machine. */
  readonly serverBase: string;
}

/** The folder whose files are in the machine's /mnt/files. */
export const sharedFolder = (): string => join(runFolder(), "files");

/** A machine that another process has started. @param pid Its first process */
export const machineOf = (pid: number): Machine => ({
  pid,
  run: async (...argv) => {
    const [program = "", ...args] = entering(pid, argv);
    return await exec(program, args, { maxBuffer: 2 ** 26, env: insideEnv }).then(
      ({ stdout, stderr }) => stdout + stderr,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${argv.join(" ")} failed:\n${stdout}${stderr}`);
      },
    );
  },
  write: async (name, content) => {
    await writeFile(join(sharedFolder(), name), content);
    return `/mnt/files/${name}`;
  },
});

const insideEnv = { HOME: "/tmp", PATH: "/opt/programs:/usr/sbin:/usr/bin:/sbin:/bin" };

const entering = (pid: number, argv: readonly string[]): readonly string[] => {
  const spaces = ["--mount", "--pid", "--net", "--ipc", "--uts"];
  return ["nsenter", "--target", String(pid), ...spaces, "--", ...argv];
};

export const startMachine = async ({ root, programs, serverBase }: MachineParts): Promise<StartedMachine> => {
  const run = runFolder();
  if (existsSync(run)) throw new Error(`another cluster is running; if not, remove ${run}`);
  await mkdir(sharedFolder(), { recursive: true });
  // Detached, because Ctrl-C must not end it before it has removed everything.
  const folders = [root, run, kept("."), programs, serverBase];
  const guard = spawn("sh", [script, "guard", ...folders, controlGroup], {
    detached: true,
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = new Promise<void>((resolve) => guard.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    guard.stdin.end();
    await ended;
  };
  try {
    const pid = await firstProcess(guard);
    return { ...machineOf(pid), ...programsOf(pid), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** The first process in the namespaces: the child of `unshare`, which is a child of the guard. */
const firstProcess = async (guard: ChildProcess): Promise<number> => {
  for (let waited = 0; !existsSync(join(sharedFolder(), "ready")); waited += 100) {
    if (waited > 20_000) throw new Error("the cluster's namespaces cannot be made");
    await sleep(100);
  }
  const childOf = async (parent: number, name: string): Promise<number> => {
    const { stdout } = await exec("ps", ["--no-headers", "-o", "pid,comm", "--ppid", String(parent)]);
    const line = stdout.split("\n").find((one) => one.endsWith(` ${name}`));
    return Number(line?.trim().split(" ")[0]);
  };
  return await childOf(await childOf(guard.pid ?? 0, "unshare"), "catatonit");
};

const programsOf = (pid: number): Pick<StartedMachine, "failed" | "start"> => {
  const started = new Map<string, ChildProcess>();
  const log = (name: string): string => join(sharedFolder(), `${name}.log`);
  return {
    start: (name, ...argv) => {
      const output = openSync(log(name), "w");
      const [program = "", ...args] = entering(pid, argv);
      started.set(name, spawn(program, args, { stdio: ["ignore", output, output], env: insideEnv }));
      closeSync(output);
    },
    failed: () => {
      const name = [...started].find(([, { exitCode }]) => exitCode !== null)?.[0];
      return name === undefined
        ? undefined
        : `${name} ended:\n${readFileSync(log(name), "utf8").slice(-3000)}`;
    },
  };
};
