import { spawn } from "node:child_process";
import type { Environment } from "./cache-folder.ts";

/** How a program ended, and its output on both streams. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/**
 * Why a program is not a Python of the required version, as the end of a sentence; undefined if there is no such program.
 * @param code Its exit code, or the code of the error if it did not start. @param said Its output: `is Python 3.6.9`, from its script.
 */
export const whyNotPython = (code: unknown, said: string): string | undefined => {
  if (code === "ENOENT") return undefined;
  const version = /^is Python \S+/m.exec(said)?.[0];
  return version ?? (code === "EACCES" ? "may not be executed" : "does not run Python code");
};

/** Runs a program until it ends. Rejects only if it cannot be started. */
export async function runCommand(
  argv: readonly [string, ...string[]],
  env: Environment = process.env,
): Promise<CommandResult> {
  const [program, ...rest] = argv;
  return await new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, output: Buffer.concat(chunks).toString() }));
  });
}
