import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import type { Address, ModelControl } from "./both-servers.ts";

/** A published test file, and how its authors start the server for it. */
export interface PublishedRun {
  /** Path below `qa` of the checkout. */
  readonly file: string;
  /** Reads the models, some of them from the checkout. */
  readonly models: (qa: string) => Promise<Files>;
  /** Arguments of both servers. */
  readonly flags?: readonly string[];
  /** Environment variables of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Patterns of the names of the tests to run. Default: all. */
  readonly only?: readonly string[];
  /** Whether shared memory is unregistered after each test. Their authors start a server for each. */
  readonly unregisters?: true;
  /** Reasons for different results, by pattern of the test's name. */
  readonly differ?: Readonly<Record<string, string>>;
  readonly explicit?: ModelControl;
}

/** What happened in a test: undefined if it passed. */
export type Verdicts = ReadonlyMap<string, string | undefined>;

const program = fileURLToPath(new URL("programs/published.py", import.meta.url));
const limit = 240_000;

export interface PublishedOptions {
  readonly address: Address;
  readonly python: string;
  /** A folder of further Python packages. */
  readonly packages: string;
  readonly cwd: string;
}

/** Runs the tests of a file against a server, in a folder of their own. */
export const runPublished = async (
  qa: string,
  { file, env = {}, only = [], unregisters }: PublishedRun,
  { address, python, packages, cwd }: PublishedOptions,
): Promise<Verdicts> => {
  const folder = join(cwd, dirname(file));
  await mkdir(dirname(folder), { recursive: true });
  await cp(join(qa, dirname(file)), folder, { recursive: true });
  const up = dirname(file).split("/").length;
  await symlink(join(qa, "common"), join(folder, ...Array(up).fill(".."), "common")).catch(() => undefined);
  const ports = [address.http, address.grpc, address.metrics].map((text) => Number(text.split(":").at(-1)));
  const input = JSON.stringify([qa, join(qa, file), ports, only, unregisters === true]);
  const child = spawn(python, [program, input], {
    cwd: folder,
    // As if on a Jetson: tests then do not look for shared memory leaks, which needs a module of the backend's build.
    env: { ...process.env, PYTHONPATH: packages, TEST_JETSON: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limit,
    killSignal: "SIGKILL",
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (errors += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  const verdicts = new Map<string, string | undefined>();
  for (const line of output.split("\n").filter((text) => /^\{"(?:starts|test)": /.test(text))) {
    const { starts, test, failed } = JSON.parse(line) as Readonly<Record<string, string>>;
    if (starts !== undefined) verdicts.set(starts, "did not end");
    else if (test !== undefined) verdicts.set(test, failed ?? undefined);
  }
  if (verdicts.size === 0) throw new Error(`${file} ended with ${code}:\n${output}${errors}`);
  return verdicts;
};
