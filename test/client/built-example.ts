import { cpSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeBuild } from "@tritype/project";
import { openHere, type RunningHere } from "../cli/run-pipeline.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";

const example = fileURLToPath(new URL("../../examples/sentence-embedding/", import.meta.url));

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

interface Served extends Pick<RunningHere, "err"> {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** `pipeline dev` of a project on a free port, in this process. */
export const serveDev = (project: ProjectFixture, options: readonly string[] = []): Promise<Served> =>
  serveCommand(project, ["dev", "--http-port", "0", "--device", "cpu", ...options]);

/** A command that serves until it is stopped, in this process. */
export const serveCommand = async (
  project: Pick<ProjectFixture, "root">,
  command: readonly string[],
): Promise<Served> => {
  const { says, err, stop } = openHere(project, command);
  await says(/stop with Ctrl-C/);
  const [, url = ""] = await says(/^\w+ing .* at (http:\/\/[^/\s]+)/m);
  return { url, err, stop: async () => void (await stop()) };
};
