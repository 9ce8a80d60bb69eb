import { ensembleRefusal } from "@tritype/check/refusals";
import { PipelineError } from "@tritype/core";
import { completeModelConfig, defaultRelease, type ModelConfig } from "@tritype/triton";
import type { Asker } from "../backend.ts";
import { createEnsemble } from "../ensemble/ensemble-model.ts";
import type { InferRequest } from "../runtime.ts";
import { answerRequest } from "./answer-request.ts";
import { type Labels, readLabels } from "../repository/read-labels.ts";
import type { ReadableModel } from "../repository/read-model.ts";
import { readyVersion } from "./load-model.ts";
import { stepModels } from "./load-order.ts";
import type { ModelFiles } from "./model-files.ts";
import {
  findVersion,
  type ModelTable,
  type ReadyVersion,
  reasonOf,
  type ServedModel,
} from "./model-table.ts";

/**
 * An ensemble over the models of `table`. It keeps those, whatever the table holds later: a request that runs never sees a member
 * change.
 */
export const composeEnsemble = async (
  model: ReadableModel,
  files: ModelFiles,
  table: ModelTable,
): Promise<ServedModel> => {
  const { name, config, versions } = model;
  const steps = stepModels(config);
  const latest = (step: string): ReadyVersion | undefined => table.get(step)?.ready.at(-1);
  const reason = dependencyProblem(config, table) ?? membersRefusal(config, table);
  if (reason !== undefined) {
    const help = steps.flatMap((step) => {
      const member = table.get(step);
      return member === undefined || member.ready.length > 0 ? [] : (reasonOf(member)?.help ?? []);
    })[0];
    const problem = new PipelineError("repository/invalid", reason, help === undefined ? {} : { help });
    return { name, ready: [], failed: versions.map((version) => ({ version, reason: problem })), files };
  }
  const decoupledStep = steps.some(
    (step) => latest(step)?.config.model_transaction_policy?.decoupled === true,
  );
  const completed = completeModelConfig(config, { ...model.surroundings, decoupledStep });
  const members = new Map(
    steps.flatMap((step) => {
      const member = table.get(step);
      return member === undefined ? [] : [[step, member] as const];
    }),
  );
  const host = {
    infer: (request: InferRequest, asker: Asker) => answerRequest(members, request, asker),
    config: (step: string, version: string | undefined) => findVersion(members, step, version).config,
  };
  const uses = [...members.values()].flatMap(({ ready }) => ready);
  let own: Labels;
  try {
    own = await readLabels(model.folder, config);
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return { name, ready: [], failed: versions.map((version) => ({ version, reason: error })), files };
  }
  const labels = new Map([...memberLabels(config, latest), ...own]);
  const ready = versions.map((version) =>
    readyVersion(name, version, completed, createEnsemble(completed, host), labels, uses),
  );
  return { name, ready, failed: [], files };
};

/** An output without labels of its own has those of the step that makes it. Source: `EnsembleScheduler` of Triton core. */
const memberLabels = (
  { ensemble_scheduling: scheduling, output = [] }: ModelConfig,
  latest: (step: string) => ReadyVersion | undefined,
): Labels => {
  const names = new Set(output.map(({ name = "" }) => name));
  return new Map(
    (scheduling?.step ?? []).flatMap(({ model_name = "", output_map = {} }) =>
      Object.entries(output_map).flatMap(([from, to]) => {
        const labels = names.has(to) ? latest(model_name)?.labels.get(from) : undefined;
        return labels === undefined ? [] : [[to, labels] as const];
      }),
    ),
  );
};

/** Why Triton would not serve an ensemble over the models of `table`; undefined when it would. */
export const membersRefusal = (config: ModelConfig, table: ModelTable): string | undefined => {
  const members = stepModels(config).flatMap((step) => {
    const ready = table.get(step)?.ready ?? [];
    const latest = ready.at(-1)?.config;
    return latest === undefined
      ? []
      : [[step, { config: latest, versions: ready.map(({ version }) => version) }] as const];
  });
  const ensemble = { name: config.name ?? "", written: config };
  return ensembleRefusal(ensemble, new Map(members), { release: defaultRelease })?.reason;
};

/** Source: `ModelRepositoryManager` of Triton core (connect dependencies, check node). */
const dependencyProblem = (config: ModelConfig, table: ModelTable): string | undefined => {
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
