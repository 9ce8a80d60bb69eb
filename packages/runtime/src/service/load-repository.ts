import { PipelineError } from "@tritype/core";
import { completeModelConfig, type ModelConfig } from "@tritype/triton";
import type { LoadedModel } from "../backend.ts";
import { ensembleProblem } from "../ensemble/ensemble-check.ts";
import { createEnsemble, type EnsembleHost } from "../ensemble/ensemble-model.ts";
import type { RepositoryModel } from "../repository/read-model.ts";
import type { Repository } from "../repository/read-repository.ts";
import { createRequestCheck } from "../requests/request-check.ts";
import { createResponseOutputs } from "../requests/response-outputs.ts";
import { createDefaultScheduler } from "../scheduling/default-scheduler.ts";
import { loadOrder, stepModels } from "./load-order.ts";
import type { ModelLoader } from "./model-loader.ts";
import { type ReadyVersion, reasonOf, type ServedModel } from "./model-table.ts";

type Model = Extract<RepositoryModel, { kind: "model" }>;

/** Loads all models beside each other, then ensembles after what they use; fills `table`, and never rejects for a model's sake. */
export const loadRepository = async (
  { models }: Repository,
  load: ModelLoader,
  host: EnsembleHost,
  table: Map<string, ServedModel>,
): Promise<void> => {
  const readable = new Map<string, Model>();
  for (const model of models) {
    if (model.kind === "model") readable.set(model.name, model);
    else table.set(model.name, { name: model.name, ready: [], failed: [], problem: model.problem });
  }
  const configs = new Map([...readable].map(([name, { config }]) => [name, config]));
  const { order, problems } = loadOrder(configs);
  for (const { name, reason } of problems)
    table.set(name, { name, ready: [], failed: [], problem: invalid(reason) });

  const ordered = order.flatMap((name) => readable.get(name) ?? []);
  const served = await Promise.all(
    ordered.filter((model) => !isEnsemble(model.config)).map((model) => loadModel(model, load)),
  );
  for (const model of served) table.set(model.name, model);
  for (const model of ordered)
    if (isEnsemble(model.config)) table.set(model.name, serveEnsemble(model, host, table));
};

export const isEnsemble = (config: ModelConfig): boolean => config.platform === "ensemble";

const loadModel = async (model: Model, load: ModelLoader): Promise<ServedModel> => {
  const ready: ReadyVersion[] = [];
  const failed: { version: string; reason: PipelineError }[] = [];
  for (const version of model.versions) {
    try {
      const { model: completed, loaded } = await load(model, version);
      ready.push(
        readyVersion(model, version, completeModelConfig(completed.config, model.surroundings), loaded),
      );
    } catch (error) {
      failed.push({ version, reason: PipelineError.is(error) ? error : unexpected(error) });
    }
  }
  return { name: model.name, ready, failed };
};

const serveEnsemble = (
  model: Model,
  host: EnsembleHost,
  table: ReadonlyMap<string, ServedModel>,
): ServedModel => {
  const { name, config, versions } = model;
  const steps = stepModels(config);
  const latest = (step: string): ReadyVersion | undefined => table.get(step)?.ready.at(-1);
  const reason = dependencyProblem(config, table) ?? ensembleProblem(config, (step) => latest(step)?.config);
  if (reason !== undefined)
    return { name, ready: [], failed: versions.map((version) => ({ version, reason: invalid(reason) })) };
  const decoupledStep = steps.some(
    (step) => latest(step)?.config.model_transaction_policy?.decoupled === true,
  );
  const completed = completeModelConfig(config, { ...model.surroundings, decoupledStep });
  const ready = versions.map((version) =>
    readyVersion(model, version, completed, createEnsemble(completed, host)),
  );
  return { name, ready, failed: [] };
};

/** Source: `ModelRepositoryManager` of Triton core (connect dependencies, check node). */
const dependencyProblem = (
  config: ModelConfig,
  table: ReadonlyMap<string, ServedModel>,
): string | undefined => {
  const ensemble = config.name ?? "";
  const steps = stepModels(config).filter((step) => step !== "");
  const absent = steps
    .filter((step) => table.get(step)?.problem !== undefined || !table.has(step))
    .toSorted();
  if (absent.length > 0) {
    const reasons = absent.flatMap((step) => {
      const problem = table.get(step)?.problem;
      return problem === undefined ? [] : [`${step}: ${problem.message}`];
    });
    const known = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
    return `ensemble ${ensemble} contains models that are not available or ambiguous: ${absent.join(", ")}${known}`;
  }
  for (const { model_name = "", model_version = 0 } of config.ensemble_scheduling?.step ?? []) {
    const model = table.get(model_name);
    if (model === undefined) continue;
    if (model.ready.length === 0) return noLoadedVersion(ensemble, model);
    if (model_version !== -1 && !model.ready.some(({ version }) => version === String(model_version)))
      return `ensemble '${ensemble}' depends on '${model_name}' whose required version ${model_version} is not loaded.`;
  }
  return undefined;
};

const noLoadedVersion = (ensemble: string, model: ServedModel): string => {
  const version = model.failed.at(-1)?.version ?? "1";
  return (
    `ensemble '${ensemble}' depends on '${model.name}' which has no loaded version. Model '${model.name}' loading failed with error: ` +
    `version ${version} is at UNAVAILABLE state: ${reasonOf(model)?.message ?? ""};`
  );
};

const readyVersion = (
  model: Model,
  version: string,
  config: ModelConfig,
  loaded: LoadedModel,
): ReadyVersion => ({
  model: model.name,
  version,
  config,
  loaded,
  scheduler: createDefaultScheduler(model.name, loaded),
  check: createRequestCheck(config),
  respond: createResponseOutputs(config),
});

const invalid = (text: string): PipelineError => new PipelineError("repository/invalid", text);

const unexpected = (error: unknown): PipelineError =>
  new PipelineError("repository/invalid", error instanceof Error ? error.message : String(error), {
    cause: error,
  });
