import type { Compilation } from "@tritype/compiler";
import { recordOf, type StepRecord } from "@tritype/dsl";
import { bundleEntries, type LoadedEntries } from "./bundle-entries.ts";
import { compileRecords } from "./compile-records.ts";
import { readConfig } from "./config.ts";
import { type Project, projectSettings, type ProjectSettings } from "./project.ts";
import { ProjectError } from "./project-error.ts";

/** A compiled project: where it goes, and what it is or why not. */
export interface CompiledProject {
  readonly settings: ProjectSettings;
  readonly compilation: Compilation;
  /** Names of the ensembles the entries export, entry by entry, by the names of the exports. */
  readonly ensembles: readonly string[];
  /** The user's source files. */
  readonly sources: readonly string[];
}

/**
 * Loads the project's files and compiles what they export.
 * @throws ProjectError when they cannot be loaded or export no ensemble.
 */
export const compileProject = async (project: Project): Promise<CompiledProject> => {
  const { configFile, root } = project;
  const settings = projectSettings(project, await readConfig(root, configFile));
  const loaded = await bundleEntries(root, settings.entries);
  const exported = exportedEnsembles(loaded);
  if (exported.length === 0) throw noEnsemble(root, settings.entries, loaded);
  const compilation = compileRecords(exported, { root, settings, mapStack: loaded.mapStack });
  return { settings, compilation, ensembles: exported.map(({ name }) => name), sources: loaded.sources };
};

const exportedEnsembles = ({ modules }: LoadedEntries): readonly StepRecord[] => [
  ...new Set(
    modules
      .flatMap((module) => Object.values(module))
      .flatMap((value) => recordOf(value) ?? [])
      .filter(({ trace }) => trace !== undefined),
  ),
];

const noEnsemble = (root: string, entries: readonly string[], { modules }: LoadedEntries): ProjectError => {
  const names = [...new Set(modules.flatMap((module) => Object.keys(module)))];
  const what =
    names.length === 0
      ? "export nothing"
      : `export ${names.map((name) => `\`${name}\``).join(", ")}, and none is an ensemble`;
  return new ProjectError(root, [
    {
      code: "project/invalid",
      severity: "error",
      message: `${entries.join(", ")} ${entries.length === 1 ? what.replace("export", "exports") : what}`,
      labels: [],
      notes: [],
      help: "export what defineEnsemble() returns: `export const embed = defineEnsemble({ … })`",
    },
  ]);
};
