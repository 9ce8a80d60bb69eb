import { access, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { guessHelp, type PipelineError } from "@tritype/core";
import { readRepositoryManifest } from "./read-manifest.ts";
import { type RepositoryModel, readModel } from "./read-model.ts";
import { runtimeError } from "../errors.ts";

/** A Triton model repository on disk. */
export interface Repository {
  /** Absolute path. */
  readonly folder: string;
  /** By name. */
  readonly models: readonly RepositoryModel[];
  /** The manifest of the build that made it, if it is next to the repository. */
  readonly manifest: Manifest | undefined;
}

export interface ReadRepositoryOptions {
  /** Serve `configs/<configName>.pbtxt` of every model that has it, as Triton's `--model-config-name` does. */
  readonly configName?: string | undefined;
  /** Whether the repository may have no models yet. Default false. */
  readonly mayBeEmpty?: boolean | undefined;
}

/**
 * Reads every model's configuration. A model that cannot be served is listed as broken, with Triton's reason.
 * @throws PipelineError `file/not-found` if there is no such folder; `repository/invalid` if it is not a repository,
 * if its manifest is newer than this program, or if no model has the wanted `configName`.
 */
export const readRepository = async (
  path: string,
  options: ReadRepositoryOptions = {},
): Promise<Repository> => {
  const folder = await repositoryFolder(path);
  const names = await modelFolders(folder);
  if (names.length === 0 && options.mayBeEmpty !== true) throw notRepository(folder, "contains no models");
  if (options.configName !== undefined) await modelsWithoutConfig(folder, options.configName);
  const [manifest, ...models] = await Promise.all([
    readRepositoryManifest(folder),
    ...names.map((name) => readModel(join(folder, name), name, options.configName)),
  ]);
  return { folder, models, manifest };
};

/**
 * Absolute path of a repository, which may be empty.
 * @throws PipelineError `file/not-found` if there is no such folder; `repository/invalid` if it is not a repository.
 */
export const repositoryFolder = async (path: string): Promise<string> => {
  const folder = resolve(path);
  const names = await subfolders(folder);
  if (names.includes("model_repository") && !(await exists(join(folder, "model_repository", "config.pbtxt"))))
    throw notRepository(folder, "contains a repository", join(folder, "model_repository"));
  if (await exists(join(folder, "config.pbtxt")))
    throw notRepository(folder, "is a single model", resolve(folder, ".."));
  return folder;
};

/** Names of the folders that may be models. */
export const modelFolders = async (folder: string): Promise<readonly string[]> => {
  const models: string[] = [];
  for (const name of await subfolders(folder)) if (await looksLikeModel(folder, name)) models.push(name);
  return models;
};

const subfolders = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "ENOTDIR" ? notRepository(folder, "is a file") : missing(folder, cause);
  });
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => entry.name)
    .toSorted();
};

/** Triton treats every folder as a model; `.git` and similar folders are left out here. */
const looksLikeModel = async (folder: string, name: string): Promise<boolean> =>
  !name.startsWith(".") || exists(join(folder, name, "config.pbtxt"));

/**
 * Names of the models without `configs/<configName>.pbtxt`, which are served according to their `config.pbtxt`.
 * @throws PipelineError `repository/invalid` if there are models, but none has it.
 */
export const modelsWithoutConfig = async (folder: string, configName: string): Promise<readonly string[]> => {
  const models = await modelFolders(folder);
  const known = await Promise.all(models.map((name) => configsOf(join(folder, name))));
  const without = models.filter((_, index) => known[index]?.includes(configName) !== true);
  if (models.length === 0 || without.length < models.length) return without;
  const all = [...new Set(known.flat())].toSorted();
  const otherwise =
    all.length > 0
      ? `the models have ${all.join(", ")}`
      : "name one of the profiles: a model stores them as configs/<name>.pbtxt";
  throw runtimeError(
    "repository/no-such-config",
    { folder, config: configName },
    { help: guessHelp(configName, all, otherwise) },
  );
};

const configsOf = async (folder: string): Promise<readonly string[]> => {
  const files = await readdir(join(folder, "configs")).catch(() => []);
  return files.flatMap((file) => (file.endsWith(".pbtxt") ? file.slice(0, -".pbtxt".length) : []));
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const missing = (folder: string, cause: NodeJS.ErrnoException): PipelineError =>
  runtimeError("repository/not-found", { folder }, { cause });

const notRepository = (folder: string, why: string, instead?: string): PipelineError =>
  runtimeError(
    "repository/not-a-repository",
    { folder, why },
    {
      help:
        instead === undefined
          ? "A model repository has one folder for each model: <model>/config.pbtxt and <model>/1/…"
          : `Use ${instead}.`,
    },
  );
