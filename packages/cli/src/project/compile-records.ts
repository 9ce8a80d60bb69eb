import { type Compilation, compile, parseSite } from "@tritype/compiler";
import type { StepRecord } from "@tritype/dsl";
import { createNodeHost, projectFile } from "./node-host.ts";
import type { ProjectSettings } from "./project.ts";

/** What a project's records are compiled with. */
export interface CompileRecordsOptions {
  readonly root: string;
  readonly settings: Pick<ProjectSettings, "release" | "stepKinds">;
  /** Text of a stack whose frames point at the user's sources. Default: as it is. */
  readonly mapStack?: (stack: string) => string;
}

/** Compiles recorded ensembles against the files of a project. */
export const compileRecords = (
  records: readonly StepRecord[],
  { root, settings, mapStack = (stack) => stack }: CompileRecordsOptions,
): Compilation => {
  const isProjectFile = projectFile(root);
  return compile(records, {
    host: createNodeHost(root),
    siteOf: (site) => parseSite(site.stack === undefined ? undefined : mapStack(site.stack), isProjectFile),
    release: settings.release,
    stepKinds: settings.stepKinds,
  });
};
