import { join, resolve, sep } from "node:path";
import type { Manifest, ManifestModel, ManifestTwin } from "@tritype/manifest";
import { loadRefusal, pollRefusal, tensorRefusal } from "@tritype/check/refusals";
import { PipelineError } from "@tritype/core";
import type { Backend, LoadedModel, ModelVersion } from "../backend.ts";
import { laptopExceptions } from "../repository/laptop-exceptions.ts";
import { modelContext } from "../repository/model-context.ts";
import type { ModelHost } from "../python/model-host.ts";
import type { Labels } from "../repository/read-labels.ts";
import { type ReadableModel, refused } from "../repository/read-model.ts";
import { type WarmupExecution, warmModel } from "./warm-model.ts";
import { runtimeError } from "../errors.ts";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

export interface ModelLoaderOptions {
  /** Backends by the name used in `config.backend`; each is created when the first model needs it. */
  readonly backends: ReadonlyMap<string, () => Promise<Backend>>;
  readonly manifest: Manifest | undefined;
  /** "twin": a native twin runs in place of equivalent Python. */
  readonly python: "twin" | "always";
  /** The runtime operations that models may call. */
  readonly host?: ModelHost;
  readonly notice: (text: string) => void;
}

export interface LoadedVersion {
  readonly model: ModelVersion;
  readonly loaded: LoadedModel;
  readonly labels: Labels;
  readonly warmup?: readonly WarmupExecution[];
}

/** Loads and warms up one version of a model that is not an ensemble; rejects with a PipelineError with the reason. */
export type ModelLoader = (model: ReadableModel, version: string) => Promise<LoadedVersion>;

/** As in `@tritype/manifest`, whose schemas are slow to load. */
const standInTwin = "stand-in";

export const createModelLoader = ({
  backends,
  manifest,
  python,
  notice,
  host,
}: ModelLoaderOptions): ModelLoader => {
  const made = new Map<string, Promise<Backend>>();
  const backendOf = ({ name, backend = "" }: ReadableModel["config"]): Promise<Backend> => {
    const make = backends.get(backend);
    if (make === undefined) throw noBackend(name ?? "", backend, [...backends.keys()]);
    const known = made.get(backend) ?? make();
    made.set(backend, known);
    return known;
  };
  const models = new Map((manifest?.models ?? []).map((model) => [model.name, model]));
  const loadTwin = async (model: ModelVersion): Promise<LoadedModel | undefined> => {
    const known = models.get(model.name);
    const twin = python === "twin" && known !== undefined ? twinOf(known, model.version) : undefined;
    if (twin === undefined || twin.kind === standInTwin) return undefined;
    const mismatch = await twinMismatch(model.folder, twin.files);
    if (mismatch !== undefined) {
      notice(`model '${model.name}' runs its Python: ${mismatch}`);
      return undefined;
    }
    return openTwin(twin, model, notice, host);
  };

  const loadStandIn = async (model: ModelVersion): Promise<LoadedModel | undefined> => {
    const known = models.get(model.name);
    const twin = known && twinOf(known, model.version);
    if (twin?.kind !== standInTwin) return undefined;
    const mismatch = await twinMismatch(model.folder, twin.files);
    if (mismatch !== undefined)
      throw noBackend(
        model.name,
        model.config.backend ?? "",
        [...backends.keys()],
        `${mismatch}, so its stand-in is not used: build again`,
      );
    const { standInVersion } = await import("./stand-in-version.ts");
    const standIn = standInVersion(model, twin.options);
    notice(
      `model '${model.name}' runs its stand-in ${standIn.config.default_model_filename ?? ""}: no backend '${model.config.backend ?? ""}' here`,
    );
    const backend = await backendOf(standIn.config);
    return backend.load(standIn);
  };

  const load: ModelLoader = async ({ name, folder, config, writtenInstances, labels }, version) => {
    const model = { name, version, folder, versionFolder: join(folder, version), config, writtenInstances };
    const isSound =
      models.has(name) &&
      !PipelineError.is(labels) &&
      tensorRefusal(modelContext({ name, folder, version }, config), laptopExceptions) === undefined;
    if (isSound) {
      const standIn = backends.has(config.backend ?? "") ? undefined : await loadStandIn(model);
      const loaded = standIn ?? (await loadTwin(model));
      if (loaded !== undefined) return { model, loaded, labels };
    }
    const backend = await backendOf(config);
    const completed = { ...model, config: (await backend.complete?.(model)) ?? config };
    const context = modelContext({ name, folder, version }, completed.config);
    const refusal = pollRefusal(context, laptopExceptions) ?? loadRefusal(context, laptopExceptions);
    if (refusal !== undefined) throw refused(refusal);
    // Triton reads labels when it knows the tensors.
    if (PipelineError.is(labels)) throw labels;
    return { model: completed, loaded: await backend.load(completed), labels };
  };

  return async (model, version) => {
    const made = await load(model, version);
    return { ...made, warmup: await warmModel(made.model, made.loaded) };
  };
};

/** undefined for a version that was not created by a build. */
const twinOf = ({ twin, versions }: ManifestModel, version: string): ManifestTwin | undefined => {
  if (versions === undefined) return version === "1" ? twin : undefined;
  const known = versions.find((one) => String(one.version) === version);
  return known === undefined ? undefined : (known.twin ?? twin);
};

const openTwin = async (
  twin: ManifestTwin,
  model: ModelVersion,
  notice: (text: string) => void,
  host: ModelHost | undefined,
): Promise<LoadedModel | undefined> => {
  const { loadTwin } = await import("../twins/twin.ts");
  const loaded = await loadTwin(twin, model, notice, host);
  if (loaded === undefined)
    notice(`model '${model.name}' runs its Python: no native implementation '${twin.kind}' here`);
  return loaded;
};

const noBackend = (
  name: string,
  backend: string,
  known: readonly string[],
  help = "add an ONNX stand-in for local runs to the step (`standIn`), or serve this repository with Triton: pipeline triton serve",
): PipelineError =>
  runtimeError("repository/unsupported-backend", { model: name, backend, known: known.join(", ") }, { help });

/**
 * The reason why a twin must not replace a model's Python: the first file that has changed since the build; undefined
 * if all are unchanged.
 * @param folder The model's folder.
 * @param files Path in it → SHA-256.
 */
export const twinMismatch = async (
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<string | undefined> => {
  for (const [file, expected] of Object.entries(files)) {
    const path = resolve(folder, file);
    if (!path.startsWith(folder + sep)) return `${file} is outside the model's folder`;
    const actual = await sha256(path).catch(() => undefined);
    if (actual === undefined) return `${file} is missing`;
    if (actual !== expected) return `${file} has changed since the build`;
  }
  return undefined;
};

const sha256 = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
};
