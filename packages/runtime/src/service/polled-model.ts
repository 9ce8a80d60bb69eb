import { stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { didYouMean, foreignError, nearHelp, PipelineError } from "@tritype/core";
import { stepModels } from "@tritype/triton";
import { pollModel, type ReadableModel, readConfig } from "../repository/read-model.ts";
import { readRepositoryManifest } from "../repository/read-manifest.ts";
import { modelFolders } from "../repository/read-repository.ts";
import type { LoadOverride } from "../runtime.ts";
import type { PolledModel } from "./control-graph.ts";
import { type OverrideFolder, readOverriddenConfig, writeOverrideFolder } from "./load-override.ts";
import { type ModelFiles, modelFiles, sameFiles, stampModel } from "./model-files.ts";
import type { ModelLoader } from "./model-loader.ts";
import type { WantedModel } from "./transition.ts";
import type { Manifest } from "@tritype/manifest";

/** A model named in load requests: the files it is loaded from, and the outcome. */
export interface ControlledModel extends PolledModel, WantedModel {
  readonly model: ReadableModel;
  /** The folder of its files if they came with the request. */
  readonly folder: OverrideFolder | undefined;
  /**
   * Its files in the repository: a load without a configuration does nothing until one of them changes. undefined after a
   * failure, and after the first load if that has a configuration: the next load reads them.
   */
  readonly found: ModelFiles | undefined;
  /** The value of `found` after a failure of this load: a refused configuration changes nothing. */
  readonly foundBefore: ModelFiles | undefined;
}
type ControlledModels = ReadonlyMap<string, ControlledModel>;

export interface PollOptions {
  /** Absolute path. */
  readonly repository: string;
  readonly configName: string | undefined;
  /** A loader with the twins of the manifest. */
  readonly loaderOf: (manifest: Manifest | undefined) => ModelLoader;
}

/** Source: `ValidateModelName` of Triton core, releases after 24.10. @throws PipelineError `request/invalid` */
export const checkModelPath = (name: string): void => {
  if (name.trim() === "")
    throw foreignError("request/invalid", "Model name cannot be empty. Please enter a valid name to deploy.");
  if (name.trim() === ".." || /[/\\]/.test(name))
    throw foreignError(
      "request/invalid",
      `invalid model name '${name}', model name must not contain path traversal characters`,
    );
};

/**
 * Polls models and the members of ensembles: determines which to load, and why some cannot be loaded.
 * @param loaded The models that have ever been loaded, even if they were unloaded.
 */
export const pollWanted = async (
  wanted: ReadonlyMap<string, LoadOverride | undefined>,
  models: ControlledModels,
  loaded: ReadonlySet<string>,
  options: PollOptions,
): Promise<{ readonly changed: ControlledModels; readonly failures: ReadonlyMap<string, PipelineError> }> => {
  const changed = new Map<string, ControlledModel>();
  const failures = new Map<string, PipelineError>();
  for (const [name, override] of wanted) {
    const seen = new Set([name]);
    for (const next of seen) {
      const known = models.get(next);
      const named = next === name;
      let found = changed.get(next) ?? known;
      try {
        found =
          changed.get(next) ?? (await pollControlled(next, named ? override : undefined, known, options));
        if (override?.config !== undefined && named && !loaded.has(name))
          found = { ...found, found: undefined };
        if (found !== known) changed.set(next, named ? { ...found, explicit: true } : found);
      } catch (error) {
        if (!PipelineError.is(error)) throw error;
        if (!failures.has(name)) failures.set(name, pollFailure(name, error));
      }
      if (found !== undefined) for (const step of stepModels(found.config)) seen.add(step);
    }
  }
  return { changed, failures };
};

const pollFailure = (name: string, cause: PipelineError): PipelineError =>
  foreignError("repository/invalid", `failed to load '${name}', failed to poll from model repository`, {
    cause,
    help: cause.message,
  });

/**
 * Reads a model for a load request; returns the known one itself if nothing has changed.
 * @throws PipelineError `repository/invalid` if Triton's poll fails.
 */
const pollControlled = async (
  name: string,
  override: LoadOverride | undefined,
  known: ControlledModel | undefined,
  { repository, configName, loaderOf }: PollOptions,
): Promise<ControlledModel> => {
  const { config, files } = override ?? {};
  const folder = files === undefined || files.size === 0 ? undefined : await folderOf(config, files);
  try {
    const path = folder?.path ?? join(repository, name);
    const isInside = folder !== undefined || path.startsWith(repository + sep);
    if (!isInside || !(await exists(path))) throw await notFound(name, repository);
    const manifest = await readRepositoryManifest(repository);
    const found = modelFiles(name, await stampModel(path), manifest);
    const own = config === undefined ? found : { ...found, shared: `${config}\n${found.shared}` };
    if (config === undefined && known !== undefined && sameFiles(known.found, found)) return known;
    const model = await pollModel(path, name, async () =>
      config === undefined ? readConfig(path, configName) : readOverriddenConfig(config),
    );
    // A twin is equivalent to the build's output, not to the content of a request.
    const load = loaderOf(config === undefined ? manifest : undefined);
    return {
      model,
      config: model.config,
      explicit: known?.explicit ?? false,
      files: own,
      load: folder === undefined ? load : keeping(folder, load),
      folder,
      found,
      foundBefore: config === undefined ? undefined : known?.found,
    };
  } catch (error) {
    folder?.release();
    throw error;
  }
};

const folderOf = (
  config: string | undefined,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<OverrideFolder> => {
  if (config === undefined)
    throw foreignError(
      "repository/invalid",
      "Load parameter 'config' must be specified for model file override",
    );
  return writeOverrideFolder(files);
};

const keeping =
  (folder: OverrideFolder, load: ModelLoader): ModelLoader =>
  async (model, version) => {
    const made = await load(model, version);
    return { ...made, loaded: folder.keepFor(made.loaded) };
  };

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const notFound = async (name: string, repository: string): Promise<PipelineError> => {
  const near = nearHelp(didYouMean(name, await modelFolders(repository)));
  const words = `failed to poll model '${name}': model not found in any model repository`;
  return foreignError("repository/invalid", near === undefined ? `${words}.` : `${words}; ${near}`);
};
