import { type Compilation, type CompileOptions, compile } from "@tritype/compiler";
import type { StepRecord } from "@tritype/dsl";
import type { BuildInputs } from "./build-inputs.ts";
import { createSiteReader } from "./load/site-reader.ts";
import { createNodeHost, projectFile } from "./node-host.ts";
import type { ProjectSettings } from "./project-settings.ts";

/** The options for compiling a project's records. */
export interface CompileRecordsOptions
  extends Pick<CompileOptions, "append" | "found" | "overrides" | "warmup"> {
  readonly root: string;
  readonly settings: Pick<ProjectSettings, "release" | "stepKinds"> &
    Partial<Pick<ProjectSettings, "docker" | "profilePlaces" | "profiles">>;
  /** Receives every file that was read or looked for. */
  readonly inputs?: BuildInputs;
  /** Maps the text of a stack so that its frames point to the user's sources. Default: unchanged. */
  readonly mapStack?: (stack: string) => string;
}

/** Compiles recorded ensembles against the files of a project. */
export const compileRecords = (
  records: readonly StepRecord[],
  { root, settings, mapStack = (stack) => stack, inputs, ...options }: CompileRecordsOptions,
): Compilation =>
  compile(records, {
    host: createNodeHost(root, inputs),
    siteOf: createSiteReader(projectFile(root), mapStack),
    ...settings,
    ...options,
  });
