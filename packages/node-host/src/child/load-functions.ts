import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { type Denied, deniedBy, packageIn } from "../denied.ts";
import { tellError } from "../tell-error.ts";
import { nodeFlags } from "./spawn-node.ts";

/** The reason why a function cannot be loaded. */
export interface LoadFailure {
  /** The error with the author's line. */
  readonly text: string;
  /** The npm package whose code threw the error. */
  readonly package: string | undefined;
  /** Set if Node's permission model does not allow it. */
  readonly denied: Denied | undefined;
}

/** Time limit in milliseconds for all of them together. */
const loadLimit = 30_000;

/**
 * Loads `run.mjs` of each folder below `parent`, in one process that has the permissions of a function without `allow`.
 * @returns The problems in order; undefined for functions that can be loaded, and for all that
 * were not tried because an earlier one ended the process.
 */
export const loadFunctions = async (
  parent: string,
  folders: readonly string[],
): Promise<readonly (LoadFailure | undefined)[]> => {
  const flags = nodeFlags(parent, { allow: {} });
  const child = spawn(
    process.execPath,
    [...flags, "--input-type=module", `--eval=${loader}`, "--", ...folders],
    { cwd: parent, stdio: ["ignore", "ignore", "ignore", "pipe"], timeout: loadLimit, killSignal: "SIGKILL" },
  );
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
  const reported = (await text(child.stdio[3] as Readable)).split("\n").filter((line) => line !== "");
  const how = await ended;
  const found = reported.map((line, index) =>
    failureOf(JSON.parse(line) as ReportedFailure, folders[index] ?? ""),
  );
  const silent = { text: `Node ended with ${how}`, package: undefined, denied: undefined };
  return reported.length < folders.length ? [...found, silent] : found;
};

/** The loader's report about a folder: an empty object, or the error. */
interface ReportedFailure {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string;
  readonly permission?: string;
  readonly resource?: string;
}

const loader = `
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
const cut = (value) => String(value).slice(0, 4000);
for (const folder of process.argv.slice(1)) {
  let reported = {};
  try {
    await import(pathToFileURL(folder + "/run.mjs").href);
  } catch (error) {
    const { name = "Error", message = error, stack = "", code, permission, resource } = Object(error);
    reported = { name: cut(name), message: cut(message), stack: cut(stack), code, permission, resource };
  }
  writeSync(3, JSON.stringify(reported) + "\\n");
}
process.kill(process.pid, "SIGKILL");
`;

const failureOf = (
  { name, message = "", stack = "", ...denial }: ReportedFailure,
  folder: string,
): LoadFailure | undefined => {
  if (name === undefined) return undefined;
  const frames = [...stack.matchAll(/^ {4}at .*$/gm)].map(([frame]) => frame);
  return {
    text: tellError(Object.assign(new Error(message), { name, stack }), folder),
    package: packageIn(frames.find((frame) => frame.includes(folder)) ?? ""),
    denied: deniedBy({ ...denial, stack }),
  };
};
