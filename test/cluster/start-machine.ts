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
  /** Runs a command in it. Rejects with its output if it fails. */
  readonly run: (...argv: readonly string[]) => Promise<string>;
  /** Starts a program in it that runs until the machine stops. */
  readonly start: (name: string, ...argv: readonly string[]) => void;
  /** The end of a started program's output, or undefined while it runs. */
  readonly failed: () => string | undefined;
  /** Writes a file; its path in the machine is /mnt/files/<name>. */
  readonly write: (name: string, content: string | Uint8Array) => Promise<string>;
  /** Removes the machine and everything in it. */
  readonly stop: () => Promise<void>;
}

export interface MachineParts {
  /** The folder of a Debian system. */
  readonly root: string;
  /** The folder with the programs of `goPrograms`. */
  readonly programs: string;
}

export const startMachine = async ({ root, programs }: MachineParts): Promise<Machine> => {
  const run = runFolder();
  if (existsSync(run)) throw new Error(`another cluster runs, or was not removed: ${run}`);
  await mkdir(join(run, "files"), { recursive: true });
  // Detached, because Ctrl-C must not end it before it has removed everything.
  const guard = spawn("sh", [script, "guard", root, run, kept("."), programs, controlGroup], {
    detached: true,
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = new Promise<void>((resolve) => guard.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    guard.stdin.end();
    await ended;
  };
  try {
    return await entered(guard, run, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};

const entered = async (guard: ChildProcess, run: string, stop: () => Promise<void>): Promise<Machine> => {
  const files = join(run, "files");
  for (let waited = 0; !existsSync(join(files, "ready")); waited += 100) {
    if (guard.exitCode !== null || waited > 20_000) throw new Error("the cluster's namespaces cannot be made");
    await sleep(100);
  }
  const pid = await firstProcess(guard.pid ?? 0);
  const enter = ["--target", String(pid), "--mount", "--pid", "--net", "--ipc", "--uts", "--"];
  const started = new Map<string, ChildProcess>();
  const env = { HOME: "/root", PATH: "/opt/programs:/usr/sbin:/usr/bin:/sbin:/bin" };
  const log = (name: string): string => join(files, `${name}.log`);
  return {
    pid,
    run: async (...argv) =>
      await exec("nsenter", [...enter, ...argv], { maxBuffer: 2 ** 26, env }).then(
        ({ stdout }) => stdout,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => {
          throw new Error(`${argv.join(" ")} failed:\n${stdout}${stderr}`);
        },
      ),
    start: (name, ...argv) => {
      const output = openSync(log(name), "w");
      started.set(name, spawn("nsenter", [...enter, ...argv], { stdio: ["ignore", output, output], env }));
      closeSync(output);
    },
    failed: () => {
      const name = [...started].find(([, { exitCode }]) => exitCode !== null)?.[0];
      return name === undefined ? undefined : `${name} ended:\n${readFileSync(log(name), "utf8").slice(-3000)}`;
    },
    write: async (name, content) => {
      await writeFile(join(files, name), content);
      return `/mnt/files/${name}`;
    },
    stop,
  };
};

/** The first process in the namespaces: the child of `unshare`, which is the child of the guard. */
const firstProcess = async (guard: number): Promise<number> => {
  const childOf = async (pid: number): Promise<number> => {
    const { stdout } = await exec("ps", ["--no-headers", "-o", "pid,comm", "--ppid", String(pid)]);
    const line = stdout.split("\n").find((one) => one !== "" && !one.endsWith(" cat"));
    return Number(line?.trim().split(" ")[0]);
  };
  return await childOf(await childOf(guard));
};
