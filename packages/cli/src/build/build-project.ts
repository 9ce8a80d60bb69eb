import { counted } from "@tritype/core";
import type { CompiledBuild } from "@tritype/compiler";
import type { ManifestDriftProof } from "@tritype/manifest";
import {
  type BuiltProject,
  type Commit,
  type CompiledProject,
  compileProject,
  judgeBuild,
  type JudgedBuild,
  type Project,
  writeProject,
} from "@tritype/project";
import { renderDiagnostic, sourceReader } from "@tritype/project/diagnostics";
import { shownPath } from "../shown-path.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** A compiled project, and the proofs that it meets its `drift` limits. */
export interface ProvenProject extends CompiledProject {
  /** Default: the proofs from the last build that are still valid. */
  readonly proofs?: readonly ManifestDriftProof[];
  /** Default: determined when the build is written. */
  readonly judged?: JudgedBuild;
}

/**
 * Compiles, writes, and prints the result; returns undefined if the pipeline has errors.
 * @param start When the build started, for its summary line.
 */
export const buildProject = async (
  project: Project,
  terminal: Terminal,
  compiled?: ProvenProject,
  start: number = performance.now(),
): Promise<BuiltProject | undefined> => {
  const given = compiled ?? (await compileProject(project, { notice: noticeOf(terminal) }));
  const built = writeSound(project, terminal, given, start);
  if (built !== undefined) terminal.note(built.summary);
  return built;
};

/**
 * Writes the compiled build; returns undefined if it has errors, which are printed.
 * @param start When the build started, for the summary.
 * @param commit Runs the work that must not be interrupted. Default: in the main thread, signals wait for it.
 */
export const writeSound = (
  project: Project,
  terminal: Terminal,
  compiled: ProvenProject,
  start: number,
  commit?: Commit,
): (BuiltProject & { readonly summary: string }) | undefined => {
  const build = soundBuild(project, compiled, terminal);
  if (build === undefined) return undefined;
  const built = writeProject(project, compiled, build, compiled.proofs, commit);
  const { repository, files, appended, changedContracts } = built;
  const { colors, cwd } = terminal;
  const models = build.manifest.models.length;
  const changes =
    files.written.length + files.deleted.length === 0
      ? "nothing changed"
      : [
          `${counted(files.written.length, "file")} written`,
          `${files.unchanged} unchanged`,
          ...(files.deleted.length > 0 ? [`${files.deleted.length} deleted`] : []),
        ].join(", ");
  const summary = [
    `${colors.green("built")} ${shownPath(cwd, repository)} for Triton ${compiled.settings.release.container}: ${counted(models, "model")}, ${changes} (${Math.round(performance.now() - start)} ms)`,
    ...(appended.length > 0 ? [`appended ${appended.join(", ")}`] : []),
    ...changedContracts.map((text) => `${colors.yellow("note")} ${text}`),
    ...warnAboutLeftovers(files.leftovers, terminal),
  ].join("\n");
  return { ...built, summary };
};

/** The user's files that keep Triton from starting. */
export const warnAboutLeftovers = (paths: readonly string[], { colors }: Terminal): readonly string[] =>
  paths.map((path) => {
    const folder = path.split("/", 2).join("/");
    const why =
      path === folder ? "is empty" : `has no config.pbtxt, but contains ${path}, which no build wrote`;
    return `${colors.yellow("warning")}: ${folder} ${why}: Triton does not start with it\n  = help: move it out of model_repository, or delete it`;
  });

/** Prints the diagnostics of a compilation; returns the build if it may be written. */
export const soundBuild = (
  project: Project,
  compiled: ProvenProject,
  terminal: Terminal,
): CompiledBuild | undefined => {
  const { diagnostics, build, refused } = compiled.judged ?? judgeBuild(compiled, project.root);
  const readSource = sourceReader(project.root);
  for (const diagnostic of diagnostics)
    terminal.note(`${renderDiagnostic(diagnostic, readSource, terminal.colors)}\n`);
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors === 0) return build;
  terminal.note(
    refused
      ? "Triton would refuse the build; nothing was written"
      : `${counted(errors, "error")}; nothing was written`,
  );
  return undefined;
};
