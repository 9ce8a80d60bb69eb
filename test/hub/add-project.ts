import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTerminal, main } from "@tritype/cli";
import pc from "picocolors";
import { onTestFinished } from "vitest";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { freshFolder } from "./hub-client.ts";
import type { HubServer } from "./hub-server.ts";

/** How a command ended, and its output. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project to which models are added, with its own cache. */
export interface AddProject extends ProjectFixture {
  readonly cache: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs `pipeline` with these arguments, against the server. */
  readonly pipeline: (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>;
  /** A file's text; undefined if there is none. */
  readonly read: (file: string) => string | undefined;
}

export const addProject = (
  server: Pick<HubServer, "url"> | undefined,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  cache: string = join(freshFolder(), "hub"),
): AddProject => {
  const made = makeProject({ "pipeline.config.ts": "export default {};\n", ...files });
  onTestFinished(made.remove);
  const env = {
    HF_ENDPOINT: server?.url ?? "http://127.0.0.1:9",
    HF_HUB_CACHE: cache,
    HF_HOME: freshFolder(),
    HF_TOKEN: "",
  };
  return {
    ...made,
    cache,
    env,
    pipeline: (args, more = {}) => pipeline(made.root, args, { ...env, ...more }),
    read: (file) => (existsSync(made.path(file)) ? readFileSync(made.path(file), "utf8") : undefined),
  };
};

const terminal = createTerminal();

/** `pipeline` in this process: the same `main`, without starting another Node. */
const pipeline = async (
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> => {
  let [out, err] = ["", ""];
  const code = await main(
    args,
    {
      ...terminal,
      cwd,
      env,
      colors: pc.createColors(false),
      outColors: pc.createColors(false),
      columns: undefined,
      out: (text) => void (out += `${text}\n`),
      note: (text) => void (err += `${text}\n`),
      progress: () => undefined,
    },
    "0.0.0",
  );
  return { code, out, err };
};

/** A command's output, without the parts that change from run to run. */
export const steady = (text: string): string =>
  text
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, "$1:<port>")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "<commit>")
    .replaceAll(/@[0-9a-f]{12}\b/g, "@<commit>")
    .replaceAll(/ in \d+(?:\.\d+)? s$/gm, " in <seconds>");
