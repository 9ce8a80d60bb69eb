import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Runs a script in this folder with JSON on its stdin; resolves to the JSON on its stdout. */
export const runPython = async <T>(
  python: string,
  script: string,
  argv: readonly string[],
  input: unknown,
): Promise<T> => {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const running = promisify(execFile)(python, [path, ...argv], { maxBuffer: 64 * 2 ** 20 });
  running.child.stdin?.end(JSON.stringify(input));
  return JSON.parse((await running).stdout) as T;
};
