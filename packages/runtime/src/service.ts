import { statSync } from "node:fs";
import type { Manifest } from "@tritype/manifest";
import { PipelineError } from "@tritype/core";
import { modelConfigToJson } from "@tritype/triton";
import { createDevicePolicy, type Device } from "./backends/onnx/device-policy.ts";
import { createOnnxBackend } from "./backends/onnx/onnx-backend.ts";
import type { Backend } from "./backend.ts";
import type { ModelHost } from "./python/model-host.ts";
import {
  modelFolders,
  type ReadRepositoryOptions,
  readRepository,
  repositoryFolder,
} from "./repository/read-repository.ts";
import type { ReloadReport, Runtime } from "./runtime.ts";
import { answerRequest, isDecoupled } from "./service/answer-request.ts";
import { createInOrder } from "./service/in-order.ts";
import { metadataOf } from "./service/metadata.ts";
import { createModelControl, type ModelControl } from "./service/model-control.ts";
import { stampRepository } from "./service/model-files.ts";
import { createModelHost } from "./service/model-host.ts";
import { createModelLoader, type ModelLoader } from "./service/model-loader.ts";
import { findVersion, isReady } from "./service/model-table.ts";
import { statisticsOf } from "./service/model-statistics-of.ts";
import { modelStatuses, repositoryIndex } from "./service/repository-index.ts";
import { createServedTable, type ServedTable } from "./service/served-table.ts";
import { serveRepository } from "./service/serve-repository.ts";
import { serverMetadata } from "./service/server-metadata.ts";
import { createCustomMetrics, type CustomMetrics } from "./statistics/custom-metrics.ts";

export interface RuntimeOptions extends ReadRepositoryOptions {
  /** Path of the model repository. */
  readonly repository: string;
  /** "auto" takes CUDA where it works; "cuda" demands it for every model that is not KIND_CPU. */
  readonly device: Device;
  /** "twin": a native twin runs in place of emitted Python while both are what the build wrote; "always": the Python runs. */
  readonly python: "twin" | "always";
  /**
   * Who says which models are served: "repository" (default), all that it holds, at the start and at each `reload()`; "explicit",
   * `load()` and `unload()`, at the start the models that are listed, "*" for all.
   */
  readonly control?: "repository" | { readonly kind: "explicit"; readonly load: readonly string[] };
  /** Says what the user should know and nobody asked for, one line each. */
  readonly notice: (text: string) => void;
  /** The interpreter of python models. Default: the python backend's. */
  readonly pythonCommand?: string | undefined;
  /** Says which Python models run on, one line for each interpreter. Default: `notice`. */
  readonly tellPython?: ((text: string) => void) | undefined;
  /** Milliseconds that one execution of a python model may take before its process is ended. Default: no limit, as in Triton. */
  readonly pythonLimit?: number | undefined;
}

/**
 * Loads the models of a repository and answers requests. A model that cannot be served is unavailable, with the reason in
 * `models()`; the others are not touched by it.
 * @throws PipelineError `file/not-found` or `repository/invalid` for what is no repository; `device/unavailable` when "cuda" is
 * demanded and does not work.
 */
export const startRuntime = async (options: RuntimeOptions): Promise<Runtime> => {
  const { device, python, notice, control = "repository" } = options;
  const devices = createDevicePolicy(device, notice);
  const served = createServedTable(notice);
  const metrics = createCustomMetrics();
  const host = createModelHost(served.current, metrics);
  const backends = new Map<string, () => Promise<Backend>>([
    ["onnxruntime", once(() => Promise.resolve(createOnnxBackend({ devices })))],
    ["python", once(() => pythonBackend(options, host))],
  ]);
  const loaderOf = (manifest: Manifest | undefined): ModelLoader =>
    createModelLoader({ backends, manifest, python, notice });
  if (control !== "repository") {
    const repository = await repositoryFolder(options.repository);
    await devices.assertAvailable();
    const models = createModelControl(served, { repository, configName: options.configName, loaderOf });
    const names = control.load.includes("*") ? await modelFolders(repository) : control.load;
    await Promise.all(names.map((name) => loadAtStart(models, name, notice)));
    return serve(served, metrics, explicitly(models));
  }
  const read = async () => {
    // Node 20 resolves no link of an import while the last file that was looked at in step is a socket, such as a Python child's.
    statSync(new URL(import.meta.url));
    const stamps = await stampRepository(options.repository);
    return { stamps, repository: await readRepository(options.repository, options) };
  };
  const serveAll = async ({ repository, stamps }: Awaited<ReturnType<typeof read>>): Promise<ReloadReport> =>
    serveRepository(served, repository, stamps, loaderOf(repository.manifest));

  const first = await read();
  await devices.assertAvailable();
  await serveAll(first);
  return serve(
    served,
    metrics,
    byRepository(served, async () => serveAll(await read())),
  );
};

const loadAtStart = async (
  models: ModelControl,
  name: string,
  notice: (text: string) => void,
): Promise<void> => {
  try {
    await models.load(name);
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    notice([error.message.trimEnd(), ...(error.help === undefined ? [] : [error.help])].join(": "));
  }
};

/** Who changes what is served. */
type Control = Pick<Runtime, "index" | "load" | "unload" | "reload"> & {
  /** Resolves when nothing changes any more. */
  readonly idle: () => Promise<void>;
};

const byRepository = (served: ServedTable, reload: () => Promise<ReloadReport>): Control => {
  const inOrder = createInOrder();
  const refuse = (): Promise<never> =>
    Promise.reject(
      new PipelineError(
        "model/unavailable",
        "explicit model load / unload is not allowed if polling is enabled",
        { help: "serve with --model-control-mode explicit" },
      ),
    );
  return {
    index: async () => repositoryIndex(served.current()),
    load: refuse,
    unload: refuse,
    reload: () => inOrder.run(reload),
    idle: () => inOrder.idle(),
  };
};

const explicitly = (models: ModelControl): Control => ({
  index: () => models.index(),
  load: async (model, override) => {
    checkModelPath(model);
    await models.load(model, override);
  },
  unload: (model, withMembers = false) => models.unload(model, withMembers),
  reload: () =>
    Promise.reject(
      new PipelineError("model/unavailable", "models are loaded explicitly, not as the repository changes"),
    ),
  idle: () => models.idle(),
});

/** Source: `ValidateModelName` of Triton core, releases after 24.10. @throws PipelineError `request/invalid` */
const checkModelPath = (name: string): void => {
  if (name.trim() === "")
    throw new PipelineError(
      "request/invalid",
      "Model name cannot be empty. Please enter a valid name to deploy.",
    );
  if (name.trim() === ".." || /[/\\]/.test(name))
    throw new PipelineError(
      "request/invalid",
      `invalid model name '${name}', model name must not contain path traversal characters`,
    );
};

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

const pythonBackend = async (
  { pythonCommand, pythonLimit, tellPython, notice }: RuntimeOptions,
  host: ModelHost,
): Promise<Backend> => {
  const { createPythonBackend } = await import("./python/python-backend.ts");
  const command = pythonCommand === undefined ? {} : { command: pythonCommand };
  return createPythonBackend({ notice, tellPython, host, executionLimit: pythonLimit, ...command });
};

const serve = (served: ServedTable, metrics: CustomMetrics, control: Control): Runtime => {
  const table = served.current;
  const running = createRunningCount();
  let closing: Promise<void> | undefined;
  /** Nothing changes any more once the runtime is closing. */
  const open = <T>(work: () => Promise<T>): Promise<T> =>
    closing === undefined ? work() : Promise.reject(stopping());
  return {
    live: true,
    get ready() {
      return closing === undefined;
    },
    serverMetadata,
    models: () => modelStatuses(table()),
    index: () => control.index(),
    modelReady: (model, version) => closing === undefined && isReady(table(), model, version),
    modelMetadata: (model, version) => {
      const { config } = findVersion(table(), model, version);
      const versions =
        version === undefined ? (table().get(model)?.ready ?? []).map((ready) => ready.version) : [version];
      return metadataOf(config, versions);
    },
    modelConfig: (model, version) => modelConfigToJson(findVersion(table(), model, version).config),
    decoupled: (model, version) => isDecoupled(findVersion(table(), model, version)),
    infer: async (request, signal) => {
      if (closing !== undefined) throw stopping();
      running.add();
      try {
        return (await answerRequest(table(), request, { signal })).response;
      } finally {
        running.remove();
      }
    },
    customMetrics: () => metrics.families(),
    statistics: (model, version) => statisticsOf(table(), model, version),
    load: (model, override) => open(() => control.load(model, override)),
    unload: (model, dependents) => open(() => control.unload(model, dependents)),
    reload: () => open(() => control.reload()),
    close: () => {
      // What runs may still ask other models.
      closing ??= control
        .idle()
        .then(running.none)
        .then(() => served.close());
      return closing;
    },
  };
};

/** Counts what runs. */
const createRunningCount = () => {
  let count = 0;
  let whenNone: (() => void) | undefined;
  return {
    add: (): void => void count++,
    remove: (): void => {
      if (--count === 0) whenNone?.();
    },
    none: (): Promise<void> =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            whenNone = resolve;
          }),
  };
};

const stopping = (): PipelineError => new PipelineError("model/unavailable", "Server is stopping");
