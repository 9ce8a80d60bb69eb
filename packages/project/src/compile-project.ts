import { join } from "node:path";
import type { AppendOptions, CapturedWarmup, Compilation } from "@tritype/compiler";
import { attempt, type Diagnostic, inBackticks, sortDiagnostics } from "@tritype/core";
import { isCalledByClients, recordOf, type StepRecord } from "@tritype/dsl";
import { analyseSources, type JsonInputs } from "./analyse/analyse-sources.ts";
import { type BuildInputs, createBuildInputs } from "./build-inputs.ts";
import { bundleEntries, type LoadedEntries } from "./load/bundle-entries.ts";
import { compileRecords, type CompileRecordsOptions } from "./compile-records.ts";
import { deployFindings } from "./deploy-findings.ts";
import { readConfig } from "./config.ts";
import type { StepEngine } from "./node/step-engines.ts";
import { warmBuild } from "./warmup/warm-build.ts";
import { configNames, type Project } from "./find-project.ts";
import { projectSettings, type ProjectSettings } from "./project-settings.ts";
import { readBuild } from "./files/read-build.ts";
import { unusedDefinitions } from "./unused-definitions.ts";
import { mistake, ProjectError } from "./project-error.ts";
import { existsSync } from "node:fs";
import { fileOnDisk } from "./files/file-on-disk.ts";
import { lockName, readLock } from "./lock/models-lock.ts";

/** A compiled project: the output folder, and the build or the reasons why there is none. */
export interface CompiledProject {
  readonly settings: ProjectSettings;
  readonly compilation: Compilation;
  /** Names of the ensembles and flows that the entries export, entry by entry, ordered by export name. */
  readonly ensembles: readonly string[];
  /** The build to which the compilation appends versions. */
  readonly append: AppendOptions | undefined;
  /** The content of the JSON inputs of function steps. */
  readonly jsonInputs: JsonInputs;
  /** The engine of each function step. */
  readonly engines: readonly StepEngine[];
  /** The exported ensembles and flows. */
  readonly records: readonly StepRecord[];
  /** Compiles the loaded project once more with other settings. */
  readonly vary: (variant: ProjectVariant) => Promise<CompiledProject>;
}

/** Settings with which a loaded project is compiled instead of its own. */
export interface ProjectVariant {
  /** Absolute path of the build folder. */
  readonly output: string;
  readonly profiles: ProjectSettings["profiles"];
  readonly overrides: NonNullable<CompileRecordsOptions["overrides"]>;
}

export interface CompileProjectOptions {
  /** Receives every file that was read or looked for, even on failure. */
  readonly inputs?: BuildInputs;
  /** Receives notes for the user, such as those of the local runtime while the samples run. */
  readonly notice?: (text: string) => void;
  /** Whether to drop versions from the last build, even if the project's configuration would keep them. */
  readonly fresh?: boolean;
}

/**
 * Loads the project's files and compiles what they export, with the warmup of its samples; reads the last build if
 * versions are appended to it.
 * @throws ProjectError if the files cannot be loaded or export no ensemble or flow.
 */
export const compileProject = async (
  project: Project,
  { fresh = false, inputs = createBuildInputs(), notice = () => {} }: CompileProjectOptions = {},
): Promise<CompiledProject> => {
  const { configFile, root } = project;
  for (const name of [...configNames, "tsconfig.json"]) inputs.add(join(root, name));
  const settings = projectSettings(project, await readConfig(root, configFile, inputs));
  const loaded = await bundleEntries(root, settings.entries, inputs);
  const exported = exportedModels(loaded);
  if (exported.length === 0) throw noEnsemble(root, settings.entries, loaded);
  const append =
    settings.keepVersions === undefined || fresh
      ? undefined
      : { previous: readBuild(settings.output), keep: settings.keepVersions };
  const { mapStack, sources } = loaded;
  const analysis = await analyseSources(exported, {
    root,
    sources,
    mapStack,
    functions: settings.functions,
    inputs,
  });
  const stepKinds = [...settings.stepKinds, ...analysis.stepKinds];
  const { jsonInputs, engines } = analysis;
  const found = [...analysis.diagnostics, ...deployFindings(settings)];
  const compileAs = async (
    own: ProjectSettings,
    options: Pick<CompileRecordsOptions, "append" | "overrides">,
  ): Promise<CompiledProject> => {
    const compileWith = (warmup?: CapturedWarmup): Compilation =>
      compileRecords(exported, {
        root,
        settings: { ...own, stepKinds },
        mapStack,
        found,
        inputs,
        warmup,
        ...options,
      });
    const compiled = await warmBuild(compileWith, { ...own, notice });
    const unused =
      compiled.build === undefined ? [] : unusedDefinitions(root, settings.entries, loaded, exported);
    const diagnostics = helpFromLock(root, sortDiagnostics([...compiled.diagnostics, ...unused]));
    return {
      settings: own,
      compilation: { ...compiled, diagnostics },
      ensembles: exported.map(({ name }) => name),
      append: options.append,
      jsonInputs,
      engines,
      records: exported,
      vary: ({ output, profiles, overrides }) =>
        compileAs({ ...settings, output, profiles }, { overrides, append: undefined }),
    };
  };
  const compiled = await compileAs(settings, { append });
  const others = compiled.compilation.build === undefined ? [] : otherThanLocked(root, inputs);
  if (others.length > 0)
    notice(
      `the build contains ${inBackticks(others)}, which ${lockName} lists with other bytes: if you did not change ${others.length === 1 ? "it" : "them"}, for example after \`git pull\`, run \`pipeline add --force\``,
    );
  return compiled;
};

/** Files of the lock that the build read with other bytes: git updates the lock, but ignores the files. */
const otherThanLocked = (root: string, inputs: BuildInputs): readonly string[] => {
  const read = new Set(inputs.paths());
  const locked = Object.values(attempt(() => readLock(root)) ?? {});
  return locked.flatMap(({ files }) =>
    Object.entries(files).flatMap(([path, { size, sha256 }]) => {
      const file = read.has(join(root, path)) ? fileOnDisk(join(root, path)) : undefined;
      return file === undefined || (file.size === size && file.sha256() === sha256) ? [] : [path];
    }),
  );
};

const exportedModels = ({ modules }: LoadedEntries): readonly StepRecord[] => [
  ...new Set(
    modules
      .flatMap((module) => Object.values(module))
      .flatMap((value) => recordOf(value) ?? [])
      .filter(isCalledByClients),
  ),
];

const noEnsemble = (root: string, entries: readonly string[], { modules }: LoadedEntries): ProjectError => {
  const names = [...new Set(modules.flatMap((module) => Object.keys(module)))];
  const what =
    names.length === 0 ? "export nothing" : `export ${inBackticks(names)}, and none is an ensemble or a flow`;
  return new ProjectError(root, [
    mistake(
      `${entries.join(", ")} ${entries.length === 1 ? what.replace("export", "exports") : what}`,
      [],
      "export the result of defineEnsemble() or flow(): `export const embed = defineEnsemble({ … })`",
    ),
  ]);
};

const missingFile: ReadonlySet<string> = new Set([
  "onnx/file-not-found",
  "onnx/external-data-not-found",
  "tokenizer/file-not-found",
]);

/**
 * Adds help to errors about files in the lock. For a missing file, the help says that `pipeline add` can restore it;
 * for a file that differs from the one that was added, that it has changed.
 */
const helpFromLock = (root: string, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0 || !existsSync(join(root, lockName))) return diagnostics;
  const named = Object.values(readLock(root))
    .flatMap(({ files }) => Object.entries(files))
    .filter(([path]) => errors.some((error) => names(error, path)))
    .map(([path, { sha256 }]) => ({ path, found: fileOnDisk(join(root, path))?.sha256(), sha256 }));
  return diagnostics.map((diagnostic) => {
    const locked = named.filter(({ path }) => names(diagnostic, path));
    if (missingFile.has(diagnostic.code) && locked.some(({ found }) => found === undefined))
      return { ...diagnostic, help: `run \`pipeline add\`, which downloads the files in ${lockName}` };
    const changed = locked.find(({ found, sha256 }) => found !== undefined && found !== sha256);
    if (diagnostic.severity !== "error" || changed === undefined) return diagnostic;
    return {
      ...diagnostic,
      notes: [
        ...diagnostic.notes,
        `${changed.path} changed after \`pipeline add\`: its SHA-256 differs from ${lockName}`,
      ],
      help: `\`pipeline add --force\` restores every file in ${lockName}`,
    };
  });
};

const names = ({ message, notes }: Diagnostic, path: string): boolean =>
  [message, ...notes].some((text) => text.includes(path));
