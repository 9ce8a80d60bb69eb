import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "@tritype/core";
import { compileProject, createBuildInputs, projectIn } from "@tritype/project";
import pc from "picocolors";
import { writeSound } from "../build/build-project.ts";
import { describeError, exitCodeOf } from "../describe-error.ts";
import { createTerminal } from "../terminal.ts";
import type { BuildOutcome, BuildRequest, BuildThreadStart } from "./build-messages.ts";

invariant(parentPort !== null, "builds run in a separate thread");
const port = parentPort;
const { root, cwd, color } = workerData as BuildThreadStart;
const terminal = { ...createTerminal(), cwd, colors: pc.createColors(color) };
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

const build = async ({ output }: BuildRequest): Promise<BuildOutcome> => {
  const start = performance.now();
  const inputs = createBuildInputs();
  const notes: string[] = [];
  const listening = { ...terminal, note: (text: string) => void notes.push(text) };
  const end = () => ({ inputs: inputs.paths(), notes });
  try {
    const project = projectIn(root);
    const compiled = await compileProject(project, { inputs });
    if (output !== undefined && compiled.settings.output !== output)
      return { kind: "moved", output: compiled.settings.output, ...end() };
    const written = writeSound(project, listening, compiled, start);
    if (written === undefined) return { kind: "failed", exitCode: 1, ...end() };
    const { repository, summary } = written;
    const warnings = compiled.compilation.diagnostics;
    return { kind: "built", repository, output: dirname(repository), summary, warnings, ...end() };
  } catch (error) {
    notes.push(describeError(error, terminal.colors, version));
    return { kind: "failed", exitCode: exitCodeOf(error), ...end() };
  }
};

port.on("message", (request: BuildRequest) => {
  void build(request).then((outcome) => port.postMessage(outcome));
});
