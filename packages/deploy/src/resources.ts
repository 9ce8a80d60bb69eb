import { cacheFoldersOf, instancesOf, type ModelConfig, needsGpu } from "@tritype/triton";
import type { DeploySettings, Rollout } from "./deploy-settings.ts";
import { configIn, configsOf, type DeployedBuild } from "./deployed-build.ts";

/** The resources that a server of the build needs. Sizes are in MiB. */
export interface Resources {
  readonly memory: number;
  /** Part of `memory`. */
  readonly sharedMemory: number;
  /** Bytes of the response cache, which are part of `memory`; 0 if no model uses it. */
  readonly cacheBytes: number;
  /** Number of instances of Python models, each of which is a process. */
  readonly pythons: number;
  /** Size of all models times their instances. */
  readonly weights: number;
  /** Size of the repository, of which Triton makes a copy if it is in a bucket. */
  readonly stored: number;
  /** Whether the server refuses to load a model without a GPU. */
  readonly needsGpu: boolean;
  /** Models that use a GPU if there is one. */
  readonly mayUseGpu: readonly string[];
  /** Folders in which models keep what they build. */
  readonly caches: readonly string[];
  /** Whether models build TensorRT engines when they are loaded, which takes minutes. */
  readonly buildsEngines: boolean;
}

const serverMiB = 512;
const pythonMiB = 192;
const sharedMiBPerPython = 64;
const leastSharedMiB = 256;
const cacheMiB = 256;

/** An estimate from the sizes of files and the instances. */
export const resourcesOf = (build: DeployedBuild, profile: string | undefined): Resources => {
  const { models } = build;
  const configured = models.map((model) => ({ model, config: configIn(model, profile) }));
  const pythons = configured.reduce(
    (sum, { config }) => sum + (config.backend === "python" ? instancesOf(config).length : 0),
    0,
  );
  const weights = Math.ceil(
    configured.reduce((sum, { model, config }) => sum + model.bytes * copiesOf(config), 0) / 2 ** 20,
  );
  const sharedMemory = Math.max(leastSharedMiB, pythons * sharedMiBPerPython);
  const cache = usesCache(build) ? cacheMiB : 0;
  const memory = serverMiB + Math.ceil(weights * 1.5) + pythons * pythonMiB + sharedMemory + cache;
  return {
    memory: Math.ceil(memory / 256) * 256,
    sharedMemory,
    cacheBytes: cache * 2 ** 20,
    pythons,
    weights,
    stored: Math.ceil(models.reduce((sum, { storedBytes }) => sum + storedBytes, 0) / 2 ** 20),
    needsGpu: configured.some(({ config }) => needsGpu(config)),
    mayUseGpu: configured.filter(({ config }) => mayUseGpu(config)).map(({ model }) => model.name),
    caches: cacheFoldersOf(configured.map(({ config }) => config)),
    buildsEngines: configured.some(({ config }) => buildsEngines(config)),
  };
};

/** How a server that needs these resources is replaced. */
export const rolloutOf = (
  { buildsEngines: hasEngines }: Pick<Resources, "buildsEngines">,
  { rollout, engineRollout }: Pick<DeploySettings, "rollout" | "engineRollout">,
): Rollout => (hasEngines ? engineRollout : rollout);

/** Whether a model uses the response cache, in any profile. */
const usesCache = (build: DeployedBuild): boolean =>
  configsOf(build).some(({ response_cache }) => response_cache?.enable === true);

/** Number of copies of a model's files in memory; 0 for an ensemble. */
const copiesOf = (config: ModelConfig): number =>
  config.ensemble_scheduling === undefined ? instancesOf(config).length : 0;

const buildsEngines = ({ optimization }: ModelConfig): boolean =>
  optimization?.execution_accelerators?.gpu_execution_accelerator?.some(({ name }) => name === "tensorrt") ??
  false;

/** Backends whose models run on a GPU by default. */
const mayUseGpu = (config: ModelConfig): boolean =>
  ["onnxruntime", "pytorch", "tensorflow"].includes(config.backend ?? "") &&
  (config.instance_group ?? [{}]).some(({ kind = "KIND_AUTO" }) => kind === "KIND_AUTO");
