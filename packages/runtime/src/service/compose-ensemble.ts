import { tensorRefusal } from "@tritype/check/refusals";
import { mapDefined, PipelineError } from "@tritype/core";
import { completeModelConfig, isDecoupled, type ModelConfig, stepModels } from "@tritype/triton";
import type { Asker } from "../backend.ts";
import { createEnsemble } from "../ensemble/ensemble-model.ts";
import type { InferRequest } from "../runtime.ts";
import { admitStream, answerRequest, firstError } from "./answer-request.ts";
import type { Labels } from "../repository/read-labels.ts";
import { laptopExceptions } from "../repository/laptop-exceptions.ts";
import { modelContext } from "../repository/model-context.ts";
import { type ReadableModel, refused } from "../repository/read-model.ts";
import { readyVersion, type SharedParts } from "./load-model.ts";
import type { ModelFiles } from "./model-files.ts";
import {
  emptyModel,
  findVersion,
  type ModelTable,
  type ReadyVersion,
  type ServedModel,
} from "./model-table.ts";

/**
 * An ensemble of the models in `table`, for which `ensembleProblem` has found no problem. It keeps these models even if
 * the table is replaced later: a running request never sees a member change.
 */
export const composeEnsemble = (
  model: ReadableModel,
  files: ModelFiles,
  table: ModelTable,
  shared: SharedParts = {},
): ServedModel => {
  const { name, folder, config, versions, labels: own } = model;
  const refusal = tensorRefusal(modelContext({ name, folder }, config), laptopExceptions);
  const labelsOrReason = refusal === undefined ? own : refused(refusal);
  if (PipelineError.is(labelsOrReason))
    return {
      ...emptyModel(name, files),
      failed: versions.map((version) => ({ version, reason: labelsOrReason })),
    };
  const members = mapDefined(stepModels(config), (step) => table.get(step));
  const latest = (step: string): ReadyVersion | undefined => members.get(step)?.ready.at(-1);
  const decoupledStep = [...members.keys()].some((step) => isDecoupled(latest(step)?.config ?? {}));
  const completed = completeModelConfig(config, { ...model.surroundings, decoupledStep });
  const host = {
    infer: (request: InferRequest, asker: Asker) =>
      answerRequest(members, request, asker).catch((error: unknown) => {
        throw firstError(error);
      }),
    stream: (request: InferRequest, asker: Asker) => admitStream(members, request, asker)(),
    config: (step: string, version: string | undefined) => findVersion(members, step, version).config,
  };
  const uses = [...members.values()].flatMap(({ ready }) => ready);
  const labels = new Map([...memberLabels(config, latest), ...labelsOrReason]);
  const ready = versions.map((version) =>
    readyVersion(name, version, completed, createEnsemble(completed, host), {
      labels,
      members: uses,
      shared,
    }),
  );
  return { name, ready, failed: [], files };
};

/**
 * An output without its own labels gets those of the step that produces it. Source: `EnsembleScheduler` of Triton core.
 */
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
