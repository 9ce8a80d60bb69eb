import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

export interface Background {
  readonly pid: number;
  /** Its output so far. */
  readonly output: () => string;
}

/** Starts a program that is stopped when the test ends. */
export const background = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Background => {
  const child = spawn(program, args, { env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => {
      output += part.toString();
    });
  child.on("error", (error) => {
    output += `${error}`;
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    child.kill();
    await once(child, "close");
  });
  return { pid: child.pid ?? 0, output: () => output };
};
