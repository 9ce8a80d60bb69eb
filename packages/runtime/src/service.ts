import { PipelineError } from "@tritype/core";
import { modelConfigToJson } from "@tritype/triton";
import { createDevicePolicy, type Device } from "./backends/onnx/device-policy.ts";
import { createOnnxBackend } from "./backends/onnx/onnx-backend.ts";
import type { Backend } from "./backend.ts";
import { type ReadRepositoryOptions, readRepository } from "./repository/read-repository.ts";
import type { InferRequest, InferResponse, Parameters, Runtime } from "./runtime.ts";
import { isEnsemble, loadRepository } from "./service/load-repository.ts";
import { metadataOf } from "./service/metadata.ts";
import { createModelLoader } from "./service/model-loader.ts";
import { findVersion, type ServedModel, statuses } from "./service/model-table.ts";
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
}

/**
 * Loads every model of a repository and answers requests. A model that cannot be served is unavailable, with the reason in
 * `models()`; the others are not touched by it.
 * @throws PipelineError `file/not-found` or `repository/invalid` for what is no repository; `device/unavailable` when "cuda" is
 * demanded and does not work.
 */
export const startRuntime = async (options: RuntimeOptions): Promise<Runtime> => {
  const { device, python, notice } = options;
  const repository = await readRepository(options.repository, options);
  const devices = createDevicePolicy(device, notice);
  await devices.assertAvailable();
  const backends = new Map<string, () => Promise<Backend>>([
    ["onnxruntime", () => Promise.resolve(createOnnxBackend({ devices }))],
    ["python", () => pythonBackend(options)],
  ]);
  const table = new Map<string, ServedModel>();

  const infer = async (request: InferRequest): Promise<InferResponse> => {
    const ready = findVersion(table, request.model, request.version);
    if (ready.config.model_transaction_policy?.decoupled === true)
      throw new PipelineError(
        "request/unsupported",
        "HTTP end point doesn't support models with decoupled transaction policy",
      );
    const checked = ready.check(request);
    const result = await ready.scheduler.infer(checked);
    if ("error" in result) throw result.error;
    const response = {
      model: ready.model,
      version: ready.version,
      id: request.id,
      outputs: ready.respond(result.outputs, checked.outputs),
    };
    return isEnsemble(ready.config) ? { ...response, parameters: sequenceOf(checked.parameters) } : response;
  };

  const load = createModelLoader({ backends, manifest: repository.manifest, python, notice });
  await loadRepository(
    repository,
    load,
    { infer, config: (model, version) => findVersion(table, model, version).config },
    table,
  );
  return serve(table, infer);
};

const pythonBackend = async ({ pythonCommand, notice }: RuntimeOptions): Promise<Backend> => {
  const { createPythonBackend } = await import("./python/python-backend.ts");
  return createPythonBackend({ notice, ...(pythonCommand === undefined ? {} : { command: pythonCommand }) });
};

const serve = (
  table: ReadonlyMap<string, ServedModel>,
  infer: (request: InferRequest) => Promise<InferResponse>,
): Runtime => {
  let closing: Promise<void> | undefined;
  return {
    live: true,
    get ready() {
      return closing === undefined;
    },
    serverMetadata,
    models: () => statuses(table),
    modelReady: (model, version) => closing === undefined && isReady(table, model, version),
    modelMetadata: (model, version) => {
      const { config } = findVersion(table, model, version);
      const versions =
        version === undefined ? (table.get(model)?.ready ?? []).map((ready) => ready.version) : [version];
      return metadataOf(config, versions);
    },
    modelConfig: (model, version) => modelConfigToJson(findVersion(table, model, version).config),
    infer: (request) => (closing === undefined ? infer(request) : Promise.reject(stopping())),
    close: () => {
      closing ??= closeAll(table);
      return closing;
    },
  };
};

const isReady = (
  table: ReadonlyMap<string, ServedModel>,
  name: string,
  version: string | undefined,
): boolean => {
  const ready = table.get(name)?.ready ?? [];
  return version === undefined ? ready.length > 0 : ready.some((one) => one.version === version);
};

/** Ensembles end before what they use: they stand behind it in the table. */
const closeAll = async (table: ReadonlyMap<string, ServedModel>): Promise<void> => {
  const ready = [...table.values()].flatMap((model) => model.ready).toReversed();
  const ensembles = ready.filter(({ config }) => isEnsemble(config));
  for (const { scheduler } of ensembles) await scheduler.close();
  const others = ready.filter(({ config }) => !isEnsemble(config));
  await Promise.all(
    others.map(async ({ scheduler, loaded }) => {
      await scheduler.close();
      await loaded.close();
    }),
  );
};

/** Triton puts these on every answer of an ensemble; what the request said of its sequence comes back. */
const sequenceOf = ({
  sequence_id = 0,
  sequence_start = false,
  sequence_end = false,
}: Parameters): Parameters => ({
  sequence_id,
  sequence_start,
  sequence_end,
});

const stopping = (): PipelineError => new PipelineError("model/unavailable", "Server is stopping");
