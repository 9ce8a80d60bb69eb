import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Starts a program that is stopped when the test ends. Returns its output so far. */
export const background = (
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): (() => string) => {
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
  return () => output;
};
