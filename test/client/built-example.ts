import { spawn } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { writeBuild } from "@tritype/project";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";

const example = fileURLToPath(new URL("../../examples/sentence-embedding/", import.meta.url));
const bin = fileURLToPath(new URL("../../packages/tritype/bin/pipeline.js", import.meta.url));

/** The example, built in a separate project; `edit` changes the text of its pipeline. */
export const buildExample = async (edit = (text: string): string => text): Promise<ProjectFixture> => {
  const project = makeProject({ "pipeline.ts": edit(readFileSync(`${example}pipeline.ts`, "utf8")) });
  for (const path of ["pipeline.config.ts", "retrieval.ts", "tensorrt.ts", "models", "assets", "drift"])
    cpSync(`${example}${path}`, project.path(path), { recursive: true });
  const { compilation } = await compileFixture(project);
  if (compilation.build === undefined) throw new Error(JSON.stringify(compilation.diagnostics));
  writeBuild(project.path("build"), compilation.build.tree);
  return project;
};

interface Served {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** `pipeline dev` of a project on a free port, as a separate process. */
export const serveDev = (project: ProjectFixture, options: readonly string[] = []): Promise<Served> =>
  serveCommand(project, ["dev", "--http-port", "0", "--device", "cpu", ...options]);

/** A command that serves until it is stopped, as a separate process. */
export const serveCommand = async (
  project: Pick<ProjectFixture, "root">,
  command: readonly string[],
): Promise<Served> => {
  const child = spawn(process.execPath, [bin, ...command], {
    cwd: project.root,
    env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const said: string[] = [];
  let url = "";
  for await (const line of createInterface(child.stderr)) {
    said.push(line);
    url = /^\w+ing .* at (http:\/\/[^/\s]+)/.exec(line)?.[1] ?? url;
    if (line.includes("stop with Ctrl-C")) break;
  }
  if (url === "") throw new Error(said.join("\n"));
  child.stderr.resume();
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      await closed;
    },
  };
};
