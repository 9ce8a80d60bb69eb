import { stripVTControlCharacters } from "node:util";
import { defaultMaxInputBytes } from "@tritype/protocol";
import { createInspector, type Inspector, type PlacedFinding } from "@tritype/inspector";
import { PipelineError } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";
import { checkTargets } from "../check/check-targets.ts";
import { runCheck } from "../check/run-check.ts";
import { shownPath } from "../shown-path.ts";

export interface InspectedServer {
  readonly runtime: Runtime;
  readonly repository: string;
  /** The folder of the served project, if any. */
  readonly root: string | undefined;
  readonly cwd: string;
  readonly configName: string | undefined;
  readonly tensors: boolean;
  readonly longestBody: number | undefined;
}

/** Larger repositories are not checked for the page: requests would have to wait. */
const mostModels = 200;

/** The page of the dev server. */
export const openInspector = (server: InspectedServer): Inspector => {
  const shown = shownPath(server.cwd, server.repository);
  const inspector = createInspector({
    runtime: server.runtime,
    repository: server.repository,
    shownRepository: shown,
    root: server.root,
    tensors: server.tensors,
    longestBody: server.longestBody ?? defaultMaxInputBytes,
    findings: () =>
      new Set(server.runtime.models().map(({ name }) => name)).size > mostModels
        ? []
        : placedFindings(shown, server),
  });
  return { ...inspector, failed: (text) => inspector.failed(stripVTControlCharacters(text)) };
};

const placedFindings = (shown: string, { cwd, configName }: InspectedServer): readonly PlacedFinding[] => {
  try {
    const targets = checkTargets([shown], cwd);
    const options = { release: defaultRelease, ...(configName === undefined ? {} : { configName }) };
    const prefixes = targets.repositories.map(({ prefix }) => prefix);
    return runCheck(targets, cwd, options).diagnostics.map(({ code, severity, message, help, labels }) => {
      const file = labels[0]?.span.file ?? "";
      const prefix = prefixes.find((one) => file.startsWith(one));
      const line = labels[0]?.span.line;
      return {
        model: prefix === undefined ? undefined : file.slice(prefix.length).split("/")[0],
        finding: {
          code,
          severity,
          message,
          ...(help === undefined ? {} : { help }),
          ...(line === undefined ? {} : { place: { file, line } }),
        },
      };
    });
  } catch (error) {
    // If the folder is not a repository for the checker, the runtime reports it.
    if (PipelineError.is(error)) return [];
    throw error;
  }
};
