import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "@tritype/core";
import {
  compileProject,
  createBuildInputs,
  type Project,
  projectIn,
  projectSettings,
  readConfig,
} from "@tritype/project";
import pc from "picocolors";
import { ownVersion } from "../own-version.ts";
import { writeSound } from "../build/build-project.ts";
import type { ExitCode } from "../command.ts";
import { describeError, exitCodeOf } from "../describe-error.ts";
import { createTerminal } from "../terminal.ts";
import type { BuildOutcome, BuildRequest, BuildThreadStart } from "./build-messages.ts";
import { commitThrough } from "./commit-gate.ts";

invariant(parentPort !== null, "builds run in a separate thread");
const port = parentPort;
const { root, cwd, color, gate } = workerData as BuildThreadStart;
const terminal = { ...createTerminal(), cwd, colors: pc.createColors(color) };

const build = async ({ output }: BuildRequest): Promise<BuildOutcome> => {
  const start = performance.now();
  const inputs = createBuildInputs();
  const notes: string[] = [];
  const listening = { ...terminal, note: (text: string) => void notes.push(text) };
  const end = () => ({ inputs: inputs.paths(), notes });
  const project = projectIn(root);
  const failed = async (exitCode: ExitCode): Promise<BuildOutcome> => ({
    kind: "failed",
    exitCode,
    output: output ?? (await outputOf(project)),
    ...end(),
  });
  try {
    const compiled = await compileProject(project, { inputs });
    if (output !== undefined && compiled.settings.output !== output)
      return { kind: "moved", output: compiled.settings.output, ...end() };
    const written = writeSound(project, listening, compiled, start, commitThrough(gate));
    if (written === undefined) return await failed(1);
    const { repository, summary } = written;
    const warnings = compiled.compilation.diagnostics;
    return { kind: "built", repository, output: dirname(repository), summary, warnings, ...end() };
  } catch (error) {
    notes.push(describeError(error, terminal.colors, ownVersion()));
    return await failed(exitCodeOf(error));
  }
};

const outputOf = async (project: Project): Promise<string | undefined> => {
  try {
    return projectSettings(project, await readConfig(root, project.configFile, createBuildInputs())).output;
  } catch {
    return undefined;
  }
};

port.on("message", (request: BuildRequest) => {
  // A promise of the user's code that never settles is noticed when nothing else keeps the thread alive.
  port.unref();
  void build(request).then((outcome) => {
    port.ref();
    port.postMessage(outcome);
  });
});
