import { basename, dirname, resolve } from "node:path";
import {
  checkConfigText,
  type CheckedRepository,
  checkRepositories,
  type CheckOptions,
  sortFindings,
} from "@tritype/check";
import { type Diagnostic, generalError } from "@tritype/core";
import { escapeControls } from "@tritype/project/diagnostics";
import { createRepositoryHost, leavesFolder, readRegularFile } from "@tritype/runtime/host";
import type { CheckTargets } from "./check-targets.ts";

export interface CheckFindings {
  /** The Triton release for which the check was made. */
  readonly target: string;
  /** Folders of models, and explicitly named configurations. */
  readonly models: number;
  /** Sorted by position; files are relative to the current folder. */
  readonly diagnostics: readonly Diagnostic[];
  /** The checked repositories. */
  readonly checked: Pick<CheckedRepository, "models">;
}

/**
 * Checks repositories and configurations. Invalid content is a finding, never an error.
 * @throws PipelineError `file/not-readable` for a configuration that was named explicitly.
 */
export const runCheck = (
  { repositories, configs }: CheckTargets,
  cwd: string,
  options: CheckOptions,
): CheckFindings => {
  const checked =
    repositories.length === 0
      ? { diagnostics: [], models: new Map() }
      : checkRepositories(repositories, options);
  const names = repositories.flatMap(({ host }) =>
    (host.list("") ?? []).flatMap(({ name, kind }) => (kind === "folder" ? name : [])),
  );
  return {
    target: options.release.container,
    models: new Set(names).size + configs.length,
    diagnostics: sortFindings([
      ...checked.diagnostics,
      ...configs.flatMap((file) => checkConfigFile(file, resolve(cwd, file), options)),
    ]).map(onOneLine),
    checked,
  };
};

/** Names in messages may contain any character; a line break in a name would look like the end of the sentence. */
const onOneLine = (diagnostic: Diagnostic): Diagnostic => ({
  ...diagnostic,
  message: escapeControls(diagnostic.message),
  labels: diagnostic.labels.map((label) => ({ ...label, text: escapeControls(label.text) })),
  notes: diagnostic.notes.map(escapeControls),
  help: diagnostic.help === undefined ? undefined : escapeControls(diagnostic.help),
});

/** Larger than the maximum for a configuration, so that an oversized one is detected. */
const readLimit = 8 * 2 ** 20;

const checkConfigFile = (file: string, path: string, options: CheckOptions): readonly Diagnostic[] => {
  const bytes = readRegularFile(path, readLimit);
  if (bytes === undefined) throw generalError("file/not-readable", { path: file, why: "it is not a file" });
  const name = modelAround(path);
  const leaves = configLeaves(path);
  return checkConfigText(bytes, { file, leaves, ...(name === undefined ? {} : { name }) }, options)
    .diagnostics;
};

/** Whether an explicitly named configuration is a link that leads out of its folder. */
export const configLeaves = (path: string): boolean => leavesFolder(dirname(path))(basename(path));

/**
 * The model whose folder contains a config.pbtxt; a folder counts as a model's folder if there is a numbered folder next to the
 * file.
 */
const modelAround = (path: string): string | undefined => {
  if (basename(path) !== "config.pbtxt") return undefined;
  const beside = createRepositoryHost(dirname(path)).list("") ?? [];
  return beside.some(({ name, kind }) => kind === "folder" && /^\d+$/.test(name))
    ? basename(dirname(path))
    : undefined;
};
