import { type Compilation, compile, parseSite } from "@tritype/compiler";
import { PipelineError } from "@tritype/core";
import { type PipelineConfig, recordOf, type StepRecord } from "@tritype/dsl";
import { bundleEntries } from "./bundle-entries.ts";
import { createNodeHost, projectFile } from "./node-host.ts";
import { type Project, projectSettings, type ProjectSettings } from "./project.ts";

/** A compiled project: where it goes, and what it is or why not. */
export interface CompiledProject {
  readonly settings: ProjectSettings;
  readonly compilation: Compilation;
  /** Names of the ensembles the entries export, in their order. */
  readonly ensembles: readonly string[];
  /** The user's source files. */
  readonly sources: readonly string[];
}

/**
 * Loads the project's files and compiles what they export.
 * @throws PipelineError `project/invalid` when they cannot be loaded or export no ensemble.
 */
export const compileProject = async (project: Project): Promise<CompiledProject> => {
  const { configFile, root } = project;
  const config =
    configFile === undefined
      ? {}
      : (((await bundleEntries(root, [configFile])).modules[0]?.["default"] ?? {}) as PipelineConfig);
  const settings = projectSettings(project, config);
  const loaded = await loadOrExplain(root, settings.entries);
  const exported = new Map<string, StepRecord>();
  for (const module of loaded.modules)
    for (const value of Object.values(module)) {
      const record = recordOf(value);
      if (record?.trace !== undefined) exported.set(record.name, record);
    }
  if (exported.size === 0)
    throw new PipelineError("project/invalid", `${settings.entries.join(", ")} exports no ensemble`, {
      help: "export what defineEnsemble() returns: `export const embed = defineEnsemble({ … })`",
    });
  const isProjectFile = projectFile(root);
  const compilation = compile([...exported.values()], {
    host: createNodeHost(root),
    siteOf: (site) =>
      parseSite(site.stack === undefined ? undefined : loaded.mapStack(site.stack), isProjectFile),
    release: settings.release,
    stepKinds: settings.stepKinds,
  });
  return { settings, compilation, ensembles: [...exported.keys()], sources: loaded.sources };
};

/** What the user's own code throws while it loads, with its place. */
const loadOrExplain = async (root: string, entries: readonly string[]): ReturnType<typeof bundleEntries> => {
  try {
    return await bundleEntries(root, entries);
  } catch (error) {
    if (PipelineError.is(error) && error.code === "project/invalid" && error.stack === undefined) throw error;
    if (PipelineError.is(error)) throw error;
    throw new PipelineError(
      "project/invalid",
      `${entries.join(", ")} threw while it was loaded: ${String(error)}`,
      { cause: error },
    );
  }
};
