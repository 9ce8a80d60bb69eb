import type { ManifestDriftProof } from "@tritype/manifest";
import {
  compareBuild,
  type CompiledProject,
  compileProject,
  judgeBuild,
  type JudgedBuild,
  type Project,
  withProofs,
} from "@tritype/project";
import { buildProject, type ProvenProject, soundBuild, warnAboutLeftovers } from "../build/build-project.ts";
import { explainEngines, noteOtherNode } from "../build/explain-engines.ts";
import { explainFusion } from "../build/explain-fusion.ts";
import type { ExitCode, Given } from "../command.ts";
import { projectOf } from "../project/project-of.ts";
import { shownPath } from "../shown-path.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** `pipeline build [--check] [--fresh] [--explain]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const project = projectOf(given, terminal);
  const start = performance.now();
  const compiled = await compileProject(project, { fresh: given.flag("fresh"), notice: noticeOf(terminal) });
  if (given.flag("explain"))
    for (const line of [...explainEngines(compiled, project), ...explainFusion(compiled)]) terminal.out(line);
  const otherNode = noteOtherNode(compiled, process.versions.node);
  if (otherNode !== undefined) noticeOf(terminal)(otherNode);
  const judged = judgeBuild(compiled, project.root);
  const proofs = await gate(project, compiled, judged, terminal);
  if (proofs === undefined) return 1;
  const proven = { ...compiled, judged, proofs };
  if (given.flag("check")) return check(project, proven, terminal);
  return (await buildProject(project, terminal, proven, start)) === undefined ? 1 : 0;
};

/** Checks the build against the configuration's `drift`; if it drifts too far, prints a message and returns undefined. */
const gate = async (
  project: Project,
  compiled: CompiledProject,
  { build }: JudgedBuild,
  terminal: Terminal,
): Promise<readonly ManifestDriftProof[] | undefined> => {
  // If the build has errors, its drift is not measured, and the errors are printed later.
  if (Object.keys(compiled.settings.drift).length === 0 || build === undefined) return [];
  const { gateBuild } = await import("../drift/gate-build.ts");
  const { printDrift } = await import("../drift/print-drift.ts");
  const { proofs, reports } = await gateBuild(project, compiled, {
    notice: noticeOf(terminal),
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
  });
  for (const drift of reports) terminal.note(`${printDrift(drift, terminal.colors)}\n`);
  if (reports.every(({ ok }) => ok)) return proofs;
  terminal.note("the build's drift is too large; nothing was written");
  return undefined;
};

const check = (project: Project, compiled: ProvenProject, terminal: Terminal): ExitCode => {
  const { settings, proofs = [] } = compiled;
  const build = soundBuild(project, compiled, terminal);
  if (build === undefined) return 1;
  const { missing, changed, stale, leftovers } = compareBuild(
    settings.output,
    withProofs(build, proofs).tree,
  );
  for (const warning of warnAboutLeftovers(leftovers, terminal)) terminal.note(warning);
  const lines = [
    ...missing.map((path) => `missing  ${path}`),
    ...changed.map((path) => `changed  ${path}`),
    ...stale.map((path) => `stale    ${path}`),
  ];
  const folder = shownPath(terminal.cwd, settings.output);
  if (lines.length === 0) {
    terminal.note(`${terminal.colors.green("up to date")}: ${folder}`);
    return 0;
  }
  terminal.note(
    `${terminal.colors.red("out of date")}: ${folder}\n${lines.map((line) => `  ${line}`).join("\n")}\n  = help: run \`pipeline build\``,
  );
  return 1;
};
