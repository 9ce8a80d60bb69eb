import { join } from "node:path";
import type { Compilation, EnsembleSample } from "@tritype/compiler";
import { hasErrors, sortDiagnostics } from "@tritype/core";
import type { Manifest, ManifestDriftProof } from "@tritype/manifest";
import { checkBuild, isRefusal } from "../check/check-build.ts";
import type { ExitCode, Given } from "../command.ts";
import { gateStates, withProofs } from "../drift/drift-proofs.ts";
import { compileProject, type CompiledProject } from "../project/compile-project.ts";
import { sourceReader } from "../project/project-error.ts";
import { readBuild } from "../project/read-build.ts";
import { type Project, projectOf } from "../project/project.ts";
import { compareBuild, writeBuild } from "../project/write-build.ts";
import { renderDiagnostic } from "../render-diagnostic.ts";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline build [--check] [--fresh]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const project = projectOf(given, terminal);
  const start = performance.now();
  const compiled = await compileProject(project, { fresh: given.flag("fresh"), notice: noticeOf(terminal) });
  const proofs = await gate(project, compiled, terminal);
  if (proofs === undefined) return 1;
  if (given.flag("check")) return check(project, compiled, terminal, proofs);
  return buildProject(project, terminal, { ...compiled, proofs }, start).then((built) =>
    built === undefined ? 1 : 0,
  );
};

/** Holds the build against the configuration's `drift`; undefined when it drifts too far, which is printed. */
const gate = async (
  project: Project,
  compiled: CompiledProject,
  terminal: Terminal,
): Promise<readonly ManifestDriftProof[] | undefined> => {
  const { settings, compilation } = compiled;
  if (compilation.build === undefined || Object.keys(settings.drift).length === 0) return [];
  const { authors, ours } = checkBuild(compilation.emitted, settings);
  // A model that Triton would refuse is reported instead.
  if (hasErrors([...authors, ...ours])) return [];
  const { gateBuild } = await import("../drift/gate-build.ts");
  const { printDrift } = await import("../drift/print-drift.ts");
  const { proofs, reports } = await gateBuild(project, compiled, {
    notice: noticeOf(terminal),
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
  });
  for (const drift of reports) terminal.note(`${printDrift(drift, terminal.colors)}\n`);
  if (reports.every(({ ok }) => ok)) return proofs;
  terminal.note("the build drifts too far; nothing was written");
  return undefined;
};

const noticeOf =
  (terminal: Terminal) =>
  (text: string): void =>
    terminal.note(`${terminal.colors.dim("note")} ${text}`);

/** A project that was built, and where its repository lies. */
export interface BuiltProject {
  readonly repository: string;
  readonly ensembles: readonly string[];
  /** Requests of the ensembles' `warmup`. */
  readonly samples: readonly EnsembleSample[];
}

/** One that was built just now. */
export interface WrittenProject extends BuiltProject {
  /** A build, in one line. */
  readonly summary: string;
}

/** A compiled project, and that it keeps to its `drift`. */
interface ProvenProject extends CompiledProject {
  /** Default: the last build's, as far as they still hold. */
  readonly proofs?: readonly ManifestDriftProof[];
}

/** Compiles and writes, and says so; undefined when the pipeline has errors, which are printed. @param start Of the build, for its line. */
export const buildProject = async (
  project: Project,
  terminal: Terminal,
  compiled?: ProvenProject,
  start: number = performance.now(),
): Promise<BuiltProject | undefined> => {
  const built = writeProject(
    project,
    terminal,
    compiled ?? (await compileProject(project, { notice: noticeOf(terminal) })),
    start,
  );
  if (built !== undefined) terminal.note(built.summary);
  return built;
};

/** Writes what was compiled; undefined when the pipeline has errors, which are printed. @param start Of the build, for its line. */
export const writeProject = (
  project: Project,
  terminal: Terminal,
  compiled: ProvenProject,
  start: number,
): WrittenProject | undefined => {
  const { settings, ensembles, append } = compiled;
  const build = soundBuild(project, compiled, terminal);
  if (build === undefined) return undefined;
  const before = manifestBefore(settings.output);
  const proofs = compiled.proofs ?? gateStates(project, compiled).flatMap(({ proof }) => proof ?? []);
  const written = writeBuild(settings.output, withProofs(build, proofs).tree, append);
  const models = build.manifest.models.length;
  const changes =
    written.written.length + written.deleted.length === 0
      ? "nothing changed"
      : [
          `${written.written.length} ${written.written.length === 1 ? "file" : "files"} written`,
          `${written.unchanged} unchanged`,
          ...(written.deleted.length > 0 ? [`${written.deleted.length} deleted`] : []),
        ].join(", ");
  const appended = appendedVersions(append?.previous?.manifest, build.manifest);
  const repository = join(settings.output, "model_repository");
  const summary = [
    `${terminal.colors.green("built")} ${shownPath(terminal.cwd, repository)} for Triton ${settings.release.container}: ${models} ${models === 1 ? "model" : "models"}, ${changes} (${Math.round(performance.now() - start)} ms)`,
    ...(appended.length > 0 ? [`appended ${appended.join(", ")}`] : []),
    ...changedContracts(before, build.manifest).map((text) => `${terminal.colors.yellow("note")} ${text}`),
  ].join("\n");
  return { repository, ensembles, samples: build.samples, summary };
};

/** `version 2 of double`, for each that the last build did not have. */
const appendedVersions = (previous: Manifest | undefined, { models }: Manifest): readonly string[] => {
  const known = new Map(previous?.models.map(({ name, versions }) => [name, versions ?? [{ version: 1 }]]));
  return models.flatMap(({ name, versions = [] }) => {
    const old = known.get(name);
    if (old === undefined) return [];
    return versions
      .filter(({ version }) => !old.some((other) => other.version === version))
      .map(({ version }) => `version ${version} of ${name}`);
  });
};

/** The last build's manifest; the result of an interrupted commit is not a build. */
const manifestBefore = (output: string): Manifest | undefined => readBuild(output)?.manifest;

/** `embed: its clients must be updated: output \`sum\` is gone`, for each ensemble that is not what clients of the last build know. */
const changedContracts = (previous: Manifest | undefined, { ensembles }: Manifest): readonly string[] =>
  ensembles.flatMap((now) => {
    const old = previous?.ensembles.find(({ name }) => name === now.name);
    if (old === undefined || old.contractHash === now.contractHash) return [];
    const changes = [
      ...changedTensors("input", old.inputs, now.inputs),
      ...changedTensors("output", old.outputs, now.outputs),
    ];
    return [`${now.name}: its clients must be updated: ${changes.join(", ")}`];
  });

type Tensors = Manifest["ensembles"][number]["inputs"];

const changedTensors = (side: string, old: Tensors, now: Tensors): readonly string[] => {
  const shown = (tensor: Tensors[string] | undefined): string =>
    tensor === undefined
      ? ""
      : `${tensor.dtype}[${tensor.dims.join(", ")}]${tensor.optional === true ? " (optional)" : ""}`;
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name) => {
    const [was, is] = [shown(old[name]), shown(now[name])];
    if (was === is) return [];
    const what = is === "" ? "is gone" : was === "" ? `${is} is new` : `is ${is}, not ${was}`;
    return [`${side} \`${name}\` ${what}`];
  });
};

const check = (
  project: Project,
  compiled: CompiledProject,
  terminal: Terminal,
  proofs: readonly ManifestDriftProof[],
): ExitCode => {
  const { settings } = compiled;
  const build = soundBuild(project, compiled, terminal);
  if (build === undefined) return 1;
  const { missing, changed, stale } = compareBuild(settings.output, withProofs(build, proofs).tree);
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

/** Prints what is wrong with a compilation, and what Triton would refuse in its models; the build, if it may be written. */
const soundBuild = (
  project: Project,
  { settings, compilation }: CompiledProject,
  terminal: Terminal,
): Compilation["build"] => {
  const { diagnostics, build, emitted } = compilation;
  const { authors, ours } = checkBuild(emitted, { ...settings, whole: build !== undefined });
  const bugs = ours.map((diagnostic) => ({ ...diagnostic, notes: [...diagnostic.notes, isOurBug] }));
  const found = sortDiagnostics([...diagnostics, ...authors, ...bugs]);
  const readSource = sourceReader(project.root);
  for (const diagnostic of found)
    terminal.note(`${renderDiagnostic(diagnostic, readSource, terminal.colors)}\n`);
  const errors = found.filter(({ severity }) => severity === "error").length;
  if (errors === 0) return build;
  terminal.note(
    build === undefined || !found.some(isRefusal)
      ? `${errors} ${errors === 1 ? "error" : "errors"}; nothing was written`
      : "Triton would refuse the build; nothing was written",
  );
  return undefined;
};

const isOurBug = "the compiler wrote this: it is a bug in tritype";
