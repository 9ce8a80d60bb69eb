import { callsByModel } from "@tritype/check";
import { counted, type Diagnostic, PipelineError } from "@tritype/core";
import { renderDiagnostic } from "@tritype/project/diagnostics";
import { defaultRelease } from "@tritype/triton";
import { type CheckTargets, checkTargets } from "../check/check-targets.ts";
import { findingSource } from "../check/finding-source.ts";
import { runCheck } from "../check/run-check.ts";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** Number of findings shown at once; `pipeline check` shows the others. */
const mostShown = 10;

/** Larger repositories are not checked while they are served, because requests would have to wait. */
const mostModels = 200;

/**
 * Reports the findings of `pipeline check` for a served repository; after the first call, only new ones.
 * @param configName As in `RuntimeOptions`.
 */
export const createFindingsReport = (
  repository: string,
  configName: string | undefined,
  terminal: Terminal,
): (() => void) => {
  let known: ReadonlySet<string> = new Set();
  const shown = shownPath(terminal.cwd, repository);
  return () => {
    const found = findingsIn(shown, configName, terminal);
    const added = found.filter((text) => !known.has(text));
    known = new Set(found);
    for (const text of added.slice(0, mostShown)) terminal.note(text);
    const more = added.length - mostShown;
    if (more > 0) terminal.note(`and ${counted(more, "more finding")}: pipeline check ${shown}`);
  };
};

const findingsIn = (shown: string, configName: string | undefined, terminal: Terminal): readonly string[] => {
  const found = checkServed(shown, configName, terminal.cwd);
  if (found === undefined) return [];
  if (found.tooMany !== undefined)
    return [`${found.tooMany} models are too many to check here: pipeline check ${shown}`];
  const source = findingSource(terminal.cwd, found.targets);
  return found.diagnostics.map((one) => renderDiagnostic(one, source, terminal.colors));
};

/** The findings of `pipeline check` for a served repository. */
export interface ServedFindings {
  readonly targets: CheckTargets;
  readonly diagnostics: readonly Diagnostic[];
  /** The models that each model's code calls, and the outputs that it requests. */
  readonly calls: ReturnType<typeof callsByModel>;
  /** The number of models, if there are too many to check. */
  readonly tooMany?: number;
}

/**
 * Checks a served repository; undefined if the folder is not a repository for the checker.
 * @param shown The folder, relative to `cwd`.
 */
export const checkServed = (
  shown: string,
  configName: string | undefined,
  cwd: string,
): ServedFindings | undefined => {
  try {
    const targets = checkTargets([shown], cwd);
    const entries = targets.repositories.flatMap(({ host }) => host.list("") ?? []);
    const models = entries.filter(({ kind }) => kind === "folder").length;
    if (models > mostModels) return { targets, diagnostics: [], calls: new Map(), tooMany: models };
    const options = { release: defaultRelease, ...(configName === undefined ? {} : { configName }) };
    const { diagnostics, checked } = runCheck(targets, cwd, options);
    return { targets, diagnostics, calls: callsByModel(checked) };
  } catch (error) {
    // If the folder is not a repository for the checker, the runtime reports it.
    if (PipelineError.is(error)) return undefined;
    throw error;
  }
};
