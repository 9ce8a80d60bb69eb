import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { firstVersionFiles, pollRefusal, type Refusal } from "@tritype/check/refusals";
import { foreignError, messageOf, PipelineError } from "@tritype/core";
import {
  type ModelConfig,
  type ModelInstanceGroup,
  type ModelSurroundings,
  parseModelConfig,
  versionsToServe,
} from "@tritype/triton";
import { laptopExceptions } from "./laptop-exceptions.ts";
import { modelContext } from "./model-context.ts";
import { type Labels, readLabels } from "./read-labels.ts";

/** A folder of a repository that was successfully read as a model. */
export interface ReadableModel {
  readonly kind: "model";
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
  /** The configuration, including the fields that Triton's core fills in. */
  readonly config: ModelConfig;
  /** `instance_group` as written. */
  readonly writtenInstances: readonly ModelInstanceGroup[];
  /** The facts about the model that Triton's core uses to fill in fields. */
  readonly surroundings: ModelSurroundings;
  /** Versions to serve, ascending. */
  readonly versions: readonly string[];
  /** Labels of its outputs, or why they cannot be read. */
  readonly labels: Labels | PipelineError;
}

/** One folder of a repository: a model, or the reason why it is not one. */
export type RepositoryModel =
  | ReadableModel
  | { readonly kind: "broken"; readonly name: string; readonly problem: PipelineError };

/** @param configName Serve `configs/<configName>.pbtxt` if the model has it. */
export const readModel = async (
  folder: string,
  name: string,
  configName: string | undefined,
): Promise<RepositoryModel> => {
  try {
    return await pollModel(folder, name, () => readConfig(folder, configName));
  } catch (error) {
    return { kind: "broken", name, problem: problemOf(error) };
  }
};

/**
 * Reads a model from its folder and the file used as its configuration; it may have no version.
 * @throws PipelineError `repository/invalid` if Triton's poll fails.
 */
export const pollModel = async (
  folder: string,
  name: string,
  readWritten: () => Promise<ModelConfig>,
): Promise<ReadableModel> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    await refuseBrokenLinks(folder, entries);
    const written = await readWritten();
    const folders = entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => entry.name);
    const context = modelContext({ name, folder }, written);
    const surroundings = { folder: name, versionFiles: firstVersionFiles(context.list, context.options) };
    const { config } = context;
    const refusal = pollRefusal(context, laptopExceptions);
    if (refusal !== undefined) throw refused(refusal);
    const versions = versionsToServe(folders, written.version_policy);
    const writtenInstances = written.instance_group ?? [];
    const labels = await readLabels(folder, config).catch(problemOf);
    return { kind: "model", name, folder, config, writtenInstances, surroundings, versions, labels };
  } catch (error) {
    throw problemOf(error);
  }
};

export const noVersion = (name: string): PipelineError =>
  invalid(`at least one version must be available under the version policy of model '${name}'`, {
    help: "every model, even an ensemble, needs a folder for its version, such as '1'",
  });

/** Converts errors of Triton's rules to a thrown error. */
export const refused = ({ reason, status, help }: Refusal): PipelineError =>
  foreignError(codes[status ?? "other"], reason, help === undefined ? {} : { help });

const codes = {
  Internal: "model/failed",
  Unsupported: "request/unsupported",
  other: "repository/invalid",
} as const;

/** An error of an unknown kind makes the model unusable. */
export const problemOf = (error: unknown): PipelineError =>
  PipelineError.is(error) ? error : invalid(messageOf(error), { cause: error });

/** Without a `config.pbtxt` the model's files must define everything. */
export const readConfig = async (folder: string, configName: string | undefined): Promise<ModelConfig> => {
  const paths = [
    ...(configName === undefined ? [] : [join(folder, "configs", `${configName}.pbtxt`)]),
    join(folder, "config.pbtxt"),
  ];
  for (const path of paths) {
    const text = await readFile(path, "utf8").catch(ignoreMissing);
    if (text === undefined) continue;
    const parsed = parseModelConfig(text);
    if ("config" in parsed) return parsed.config;
    const { line, message } = parsed.problem;
    throw invalid(
      `failed to read text proto from ${path}: ${message}${line === undefined ? "" : ` (line ${line})`}`,
    );
  }
  return {};
};

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
};

/** Triton reads every entry of a model's folder when it polls the model, but not below. */
const refuseBrokenLinks = async (folder: string, entries: readonly Dirent[]): Promise<void> => {
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink() && (await stat(path).catch(() => undefined)) === undefined)
      throw foreignError("model/failed", `failed to stat file ${path}`);
  }
};

const invalid = (
  text: string,
  options: { readonly help?: string; readonly cause?: unknown } = {},
): PipelineError => foreignError("repository/invalid", text, options);
