import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Exact, Outcome } from "./exact-values.ts";

/** Calls of one Python program. */
export interface PythonCalls {
  readonly source: string;
  /** The function that is called, as an expression: a name or a lambda. */
  readonly function: string;
  /** Arguments of each call. */
  readonly calls: readonly (readonly Exact[])[];
  /** Time limit of each call in seconds. Default: 2. */
  readonly limit?: number;
}

/** A CPython process that runs programs one after the other, each in its own namespace. */
export interface PythonChild {
  run(request: PythonCalls): Promise<readonly Outcome[]>;
  close(): Promise<void>;
}

/** Starts CPython. Default: `$TRITYPE_PYTHON` or `python3`. */
export const startPython = (python: string = process.env["TRITYPE_PYTHON"] || "python3"): PythonChild => {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    python,
    ["-I", fileURLToPath(new URL("child.py", import.meta.url))],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const closed = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (request: PythonCalls): Promise<readonly Outcome[]> => {
    child.stdin.write(`${JSON.stringify({ limit: 2, ...request })}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the Python of the tests is gone");
    const answer = JSON.parse(value) as { results?: readonly Outcome[]; error?: string };
    if (answer.results === undefined) return request.calls.map(() => ["crash", answer.error ?? "no answer"]);
    return answer.results;
  };
  return {
    run: (request) => {
      const answer = turn.then(() => ask(request));
      turn = answer.catch(() => undefined);
      return answer;
    },
    close: async () => {
      child.stdin.end();
      await closed;
    },
  };
};
