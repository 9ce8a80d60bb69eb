import { join } from "node:path";
import type { Compilation } from "@tritype/compiler";
import { hasErrors } from "@tritype/core";
import { checkBuild } from "../check/check-build.ts";
import type { ExitCode, Given } from "../command.ts";
import { compileProject, type CompiledProject } from "../project/compile-project.ts";
import { sourceReader } from "../project/project-error.ts";
import { type Project, projectOf, type ProjectSettings } from "../project/project.ts";
import { compareBuild, writeBuild } from "../project/write-build.ts";
import { renderDiagnostic } from "../render-diagnostic.ts";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline build [--check]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const project = projectOf(given, terminal);
  const compiled = await compileProject(project);
  if (given.flag("check")) return check(project, compiled, terminal);
  return buildProject(project, terminal, compiled).then((built) => (built === undefined ? 1 : 0));
};

/** A project that was built, and where its repository lies. */
export interface BuiltProject {
  readonly repository: string;
  readonly ensembles: readonly string[];
}

/** One that was built just now. */
export interface WrittenProject extends BuiltProject {
  /** What was built, in one line. */
  readonly summary: string;
}

/** Compiles and writes, and says so; undefined when the pipeline has errors, which are printed. */
export const buildProject = async (
  project: Project,
  terminal: Terminal,
  compiled?: CompiledProject,
): Promise<BuiltProject | undefined> => {
  const start = performance.now();
  const built = writeProject(project, terminal, compiled ?? (await compileProject(project)), start);
  if (built !== undefined) terminal.note(built.summary);
  return built;
};

/** Writes what was compiled; undefined when the pipeline has errors, which are printed. @param start Of the build, for its line. */
export const writeProject = (
  project: Project,
  terminal: Terminal,
  { settings, compilation, ensembles }: CompiledProject,
  start: number,
): WrittenProject | undefined => {
  report(project, compilation, terminal);
  if (compilation.build === undefined || !loads(settings, compilation.build, terminal)) return undefined;
  const written = writeBuild(settings.output, compilation.build.tree);
  const models = compilation.build.manifest.models.length;
  const changes =
    written.written.length + written.deleted.length === 0
      ? "nothing changed"
      : [
          `${written.written.length} ${written.written.length === 1 ? "file" : "files"} written`,
          `${written.unchanged} unchanged`,
          ...(written.deleted.length > 0 ? [`${written.deleted.length} deleted`] : []),
        ].join(", ");
  const repository = join(settings.output, "model_repository");
  const summary = `${terminal.colors.green("built")} ${shownPath(terminal.cwd, repository)} for Triton ${settings.release.container}: ${models} ${models === 1 ? "model" : "models"}, ${changes} (${Math.round(performance.now() - start)} ms)`;
  return { repository, ensembles, summary };
};

const check = (
  project: Project,
  { settings, compilation }: CompiledProject,
  terminal: Terminal,
): ExitCode => {
  report(project, compilation, terminal);
  if (compilation.build === undefined || !loads(settings, compilation.build, terminal)) return 1;
  const { missing, changed, stale } = compareBuild(settings.output, compilation.build.tree);
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
    `${terminal.colors.red("not what the sources make")}: ${folder}\n${lines.map((line) => `  ${line}`).join("\n")}\n  = help: run \`pipeline build\``,
  );
  return 1;
};

/** Whether Triton would load the build; findings are printed with the configuration that they are about. */
const loads = (
  { release }: ProjectSettings,
  { tree }: NonNullable<Compilation["build"]>,
  terminal: Terminal,
): boolean => {
  const { authors, ours, readSource } = checkBuild(tree, release);
  const bugs = ours.map((diagnostic) => ({ ...diagnostic, notes: [...diagnostic.notes, isOurBug] }));
  const found = [...authors, ...bugs];
  for (const diagnostic of found)
    terminal.note(`${renderDiagnostic(diagnostic, readSource, terminal.colors)}\n`);
  if (!hasErrors(found)) return true;
  terminal.note("Triton would refuse the build; nothing was written");
  return false;
};

const isOurBug = "the compiler wrote this: unless a `raw` fragment replaced it, it is a bug in tritype";

const report = (project: Project, { diagnostics }: Compilation, terminal: Terminal): void => {
  const readSource = sourceReader(project.root);
  for (const diagnostic of diagnostics)
    terminal.note(`${renderDiagnostic(diagnostic, readSource, terminal.colors)}\n`);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors > 0) terminal.note(`${errors} ${errors === 1 ? "error" : "errors"}; nothing was written`);
};
