import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const source = fileURLToPath(new URL("../../packages/deploy/python/smoke.py", import.meta.url));

/** The exit code and the output of a script. */
export interface ScriptEnded {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs Python with these arguments. */
export const runPython = (args: readonly string[], input = ""): Promise<ScriptEnded> =>
  new Promise((resolve) => {
    const child = execFile("python3", ["-B", ...args], (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err }),
    );
    child.stdin?.end(input);
  });

/** Runs `smoke.py` of a chart, which is in `folder` with its `smoke.json`. */
export const runSmoke = (folder: string, ...args: readonly string[]): Promise<ScriptEnded> =>
  runPython([join(folder, "smoke.py"), ...args]);

/** A folder with `smoke.py` and this `smoke.json`, deleted when the test ends. */
export const smokeFolder = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-smoke-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(source, join(folder, "smoke.py"));
  writeFileSync(join(folder, "smoke.json"), text);
  return folder;
};
