import type { Manifest } from "@tritype/manifest";
import { cacheFolder } from "@tritype/wheels";
import { installedCuda } from "./backends/onnx/cuda/install-cuda.ts";
import { createDevicePolicy, type Device } from "./backends/onnx/device-policy.ts";
import { createOnnxBackend } from "./backends/onnx/onnx-backend.ts";
import { once } from "./backends/once.ts";
import type { Backend } from "./backend.ts";
import type { ModelHost } from "./python/model-host.ts";
import {
  modelFolders,
  modelsWithoutConfig,
  type ReadRepositoryOptions,
  readRepository,
  repositoryFolder,
} from "./repository/read-repository.ts";
import type { InferRequest, ReloadReport, Runtime } from "./runtime.ts";
import { createRateLimiter, type ServerResource } from "./scheduling/rate-limiter.ts";
import { createResponseCache } from "./scheduling/response-cache.ts";
import { createModelControl } from "./service/model-control.ts";
import { stampRepository } from "./service/model-files.ts";
import { createModelHost } from "./service/model-host.ts";
import { createModelLoader, type ModelLoader } from "./service/model-loader.ts";
import { controlByRepository, type RuntimeControl } from "./service/runtime-control.ts";
import { createServedTable } from "./service/served-table.ts";
import { serveRepository } from "./service/serve-repository.ts";
import { serveTable } from "./service/serve-table.ts";
import { createCustomMetrics } from "./statistics/custom-metrics.ts";

export interface RuntimeOptions extends ReadRepositoryOptions {
  /** Path of the model repository. */
  readonly repository: string;
  /** "auto" uses CUDA if it works; "cuda" requires it for every model that is not KIND_CPU. */
  readonly device: Device;
  /** The folder in which `installCuda` put the CUDA libraries. Default: `cacheFolder()` of @tritype/wheels. */
  readonly cache?: string | undefined;
  /**
   * "twin": a native twin runs in place of emitted Python as long as both are unchanged since the build; "always": the
   * Python runs.
   */
  readonly python: "twin" | "always";
  /**
   * Determines which models are served. "repository" (default): all models in it, at the start and at each `reload()`.
   * "explicit": `load()` and `unload()`, and at the start the listed models, or all for "*".
   */
  readonly control?: "repository" | { readonly kind: "explicit"; readonly load: readonly string[] };
  /**
   * Whether `ready` is false while a model of the repository is not ready, as in Triton. Default true. If false, the
   * server is ready from the start, regardless of its models.
   */
  readonly strictReadiness?: boolean | undefined;
  /** Reports information that the user did not ask for, one line each. */
  readonly notice: (text: string) => void;
  /** The interpreter of python models. Default: the python backend's. */
  readonly pythonCommand?: string | undefined;
  /** Reports the interpreter of Python models, one line for each interpreter. Default: `notice`. */
  readonly tellPython?: ((text: string) => void) | undefined;
  /** Called with each request that a model's code sends to another model, before it runs. Default: none. */
  readonly onModelCall?: ((request: InferRequest) => void) | undefined;
  /**
   * Milliseconds that one execution of a python model may take before its process is killed. Default: no limit, as in
   * Triton.
   */
  readonly pythonLimit?: number | undefined;
  /** Bytes of the cache for models with `response_cache { enable: true }`. Default: none, as in Triton. */
  readonly responseCache?: number | undefined;
  /** The quantiles of the summaries of durations in the statistics, such as 0.99. Default: no summaries. */
  readonly summaryQuantiles?: readonly number[] | undefined;
  /**
   * The resources that instances with a `rate_limiter` share; an empty list provides what the largest instance needs.
   * Default: no limits, as in Triton.
   */
  readonly rateLimit?: readonly ServerResource[] | undefined;
}

/**
 * Loads the models of a repository and answers requests. A model that cannot be served is unavailable, with the reason
 * in `models()`; the others are not affected.
 * @throws PipelineError `file/not-found` or `repository/invalid` if it is not a repository; `device/unavailable` if
 * "cuda" is required and does not work.
 */
export const startRuntime = async (options: RuntimeOptions): Promise<Runtime> => {
  const {
    device,
    python,
    notice,
    cache = cacheFolder(),
    strictReadiness = true,
    responseCache: cacheBytes,
  } = options;
  const devices = createDevicePolicy({ device, libraries: installedCuda(cache), notice });
  const served = createServedTable(notice, {
    cache: cacheBytes === undefined ? undefined : createResponseCache(cacheBytes),
    summaryQuantiles: options.summaryQuantiles,
    limiter: options.rateLimit === undefined ? undefined : createRateLimiter(options.rateLimit),
  });
  const metrics = createCustomMetrics();
  let control: RuntimeControl;
  const host = createModelHost(served.current, metrics, () => control, options.onModelCall);
  const backends = new Map<string, () => Promise<Backend>>([
    ["onnxruntime", once(() => Promise.resolve(createOnnxBackend({ devices, notice })))],
    ["python", once(() => pythonBackend(options, host))],
  ]);
  const loaderOf = (manifest: Manifest | undefined): ModelLoader =>
    createModelLoader({ backends, manifest, python, notice, host });
  if (options.configName !== undefined) {
    const without = await modelsWithoutConfig(await repositoryFolder(options.repository), options.configName);
    if (without.length > 0)
      notice(`no configuration '${options.configName}' in ${without.join(", ")}: config.pbtxt is served`);
  }
  if (options.control !== undefined && options.control !== "repository") {
    const { load } = options.control;
    const repository = await repositoryFolder(options.repository);
    await devices.assertAvailable();
    const models = createModelControl(served, { repository, configName: options.configName, loaderOf });
    control = models;
    const names = load.includes("*") ? await modelFolders(repository) : load;
    for (const { message, help } of await models.loadAll(names))
      notice([message.trimEnd(), ...(help === undefined ? [] : [help])].join(": "));
    return serveTable(served, metrics, control, strictReadiness);
  }
  const read = async () => {
    const stamps = await stampRepository(options.repository);
    return { stamps, repository: await readRepository(options.repository, options) };
  };
  const serveAll = async ({ repository, stamps }: Awaited<ReturnType<typeof read>>): Promise<ReloadReport> =>
    serveRepository(served, repository, stamps, loaderOf(repository.manifest));

  control = controlByRepository(served, async () => serveAll(await read()));
  const first = await read();
  await devices.assertAvailable();
  await serveAll(first);
  return serveTable(served, metrics, control, strictReadiness);
};

const pythonBackend = async (
  { pythonCommand, pythonLimit, tellPython, notice }: RuntimeOptions,
  host: ModelHost,
): Promise<Backend> => {
  const { createPythonBackend } = await import("./python/python-backend.ts");
  const command = pythonCommand === undefined ? {} : { command: pythonCommand };
  return createPythonBackend({ notice, tellPython, host, executionLimit: pythonLimit, ...command });
};
