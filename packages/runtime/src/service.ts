import { statSync } from "node:fs";
import { PipelineError } from "@tritype/core";
import { modelConfigToJson } from "@tritype/triton";
import { createDevicePolicy, type Device } from "./backends/onnx/device-policy.ts";
import { createOnnxBackend } from "./backends/onnx/onnx-backend.ts";
import type { Backend } from "./backend.ts";
import { createCustomMetrics, type CustomMetrics } from "./statistics/custom-metrics.ts";
import { type ReadRepositoryOptions, readRepository } from "./repository/read-repository.ts";
import type { ReloadReport, Runtime } from "./runtime.ts";
import { answerRequest, isDecoupled } from "./service/answer-request.ts";
import type { ModelHost } from "./python/model-host.ts";
import { createModelHost } from "./service/model-host.ts";
import { metadataOf } from "./service/metadata.ts";
import { stampRepository } from "./service/model-files.ts";
import { createModelLoader } from "./service/model-loader.ts";
import { createModelStore, type ModelStore } from "./service/model-store.ts";
import { findVersion, isReady, statuses } from "./service/model-table.ts";
import { statisticsOf } from "./service/model-statistics-of.ts";
import { serverMetadata } from "./service/server-metadata.ts";

export interface RuntimeOptions extends ReadRepositoryOptions {
  /** Path of the model repository. */
  readonly repository: string;
  /** "auto" takes CUDA where it works; "cuda" demands it for every model that is not KIND_CPU. */
  readonly device: Device;
  /** "twin": a native twin runs in place of emitted Python while both are what the build wrote; "always": the Python runs. */
  readonly python: "twin" | "always";
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
 * Loads every model of a repository and answers requests. A model that cannot be served is unavailable, with the reason in
 * `models()`; the others are not touched by it.
 * @throws PipelineError `file/not-found` or `repository/invalid` for what is no repository; `device/unavailable` when "cuda" is
 * demanded and does not work.
 */
export const startRuntime = async (options: RuntimeOptions): Promise<Runtime> => {
  const { device, python, notice } = options;
  const devices = createDevicePolicy(device, notice);
  const store = createModelStore(notice);
  const metrics = createCustomMetrics();
  const host = createModelHost(store.table, metrics);
  const backends = new Map<string, () => Promise<Backend>>([
    ["onnxruntime", once(() => Promise.resolve(createOnnxBackend({ devices })))],
    ["python", once(() => pythonBackend(options, host))],
  ]);
  const read = async () => {
    // Node 20 resolves no link of an import while the last file that was looked at in step is a socket, such as a Python child's.
    statSync(new URL(import.meta.url));
    const stamps = await stampRepository(options.repository);
    return { stamps, repository: await readRepository(options.repository, options) };
  };
  const serveAll = async ({
    repository,
    stamps,
  }: Awaited<ReturnType<typeof read>>): Promise<ReloadReport> => {
    const load = createModelLoader({ backends, manifest: repository.manifest, python, notice });
    return store.serve(repository, stamps, load);
  };

  const first = await read();
  await devices.assertAvailable();
  await serveAll(first);
  return serve(store, metrics, async () => serveAll(await read()));
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

const serve = (
  { table, close }: ModelStore,
  metrics: CustomMetrics,
  reload: () => Promise<ReloadReport>,
): Runtime => {
  const running = createRunningCount();
  let closing: Promise<void> | undefined;
  let reloading: Promise<unknown> = Promise.resolve();
  return {
    live: true,
    get ready() {
      return closing === undefined;
    },
    serverMetadata,
    models: () => statuses(table()),
    modelReady: (model, version) => closing === undefined && isReady(table(), model, version),
    modelMetadata: (model, version) => {
      const { config } = findVersion(table(), model, version);
      const versions =
        version === undefined ? (table().get(model)?.ready ?? []).map((ready) => ready.version) : [version];
      return metadataOf(config, versions);
    },
    modelConfig: (model, version) => modelConfigToJson(findVersion(table(), model, version).config),
    decoupled: (model, version) => isDecoupled(findVersion(table(), model, version)),
    infer: async (request) => {
      if (closing !== undefined) throw stopping();
      running.add();
      try {
        return (await answerRequest(table(), request)).response;
      } finally {
        running.remove();
      }
    },
    customMetrics: () => metrics.families(),
    statistics: (model, version) => statisticsOf(table(), model, version),
    reload: () => {
      if (closing !== undefined) return Promise.reject(stopping());
      const next = reloading.then(reload);
      reloading = next.catch(() => {});
      return next;
    },
    close: () => {
      // What runs may still ask other models.
      closing ??= reloading.then(running.none).then(close);
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
