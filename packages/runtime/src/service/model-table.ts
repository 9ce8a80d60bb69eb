import { foreignError, type PipelineError } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { LoadedModel } from "../backend.ts";
import type { Labels } from "../repository/read-labels.ts";
import { noVersion } from "../repository/read-model.ts";
import type { RequestCheck } from "../requests/request-check.ts";
import type { ResponseOutputs } from "../requests/response-outputs.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import type { StatisticsRecorder } from "../statistics/model-statistics.ts";
import type { ModelFiles } from "./model-files.ts";
import type { RunningCount } from "./running-count.ts";

/** A version that answers requests. */
export interface ReadyVersion {
  readonly model: string;
  readonly version: string;
  /** Completed; in the form that Triton prints. */
  readonly config: ModelConfig;
  readonly loaded: LoadedModel;
  /** The models that an ensemble runs, for as long as it exists. */
  readonly members: readonly ReadyVersion[];
  readonly scheduler: Scheduler;
  /** Requests to a decoupled model whose final message has not arrived. */
  readonly streams: RunningCount;
  readonly statistics: StatisticsRecorder;
  readonly labels: Labels;
  readonly check: RequestCheck;
  readonly respond: ResponseOutputs;
}

/** A model of the repository: its versions, or why it has none. */
export interface ServedModel {
  readonly name: string;
  /** Ascending. */
  readonly ready: readonly ReadyVersion[];
  readonly failed: readonly { readonly version: string; readonly reason: PipelineError }[];
  /** The reason why no version was loaded: the model could not be read, or the ensemble not be composed. */
  readonly problem?: PipelineError;
  /** The files that it was loaded from. */
  readonly files: ModelFiles;
  /** The repository's current content if it cannot replace the served one; without `files`, the model was removed. */
  readonly refused?: { readonly files: ModelFiles | undefined; readonly reason: PipelineError };
}

export type ModelTable = ReadonlyMap<string, ServedModel>;

/**
 * The version that answers; if none is requested, the latest ready version.
 * @throws PipelineError `model/not-found` or `model/unavailable` with Triton's text, followed by the reason why the
 * model did not load.
 */
export const findVersion = (table: ModelTable, name: string, version?: string): ReadyVersion => {
  const model = table.get(name);
  if (model === undefined) throw unknown("model/not-found", `'${name}' is not found`);
  if (version === undefined) {
    const latest = model.ready.at(-1);
    if (latest !== undefined) return latest;
    throw unknown("model/not-found", `'${name}' has no available versions`, reasonOf(model));
  }
  const found = model.ready.find((ready) => ready.version === version);
  if (found !== undefined) return found;
  const failure = model.failed.find((failed) => failed.version === version);
  if (failure === undefined) throw unknown("model/not-found", `'${name}' version ${version} is not found`);
  throw unknown("model/unavailable", `'${name}' version ${version} is not at ready state`, failure.reason);
};

/** Whether a model, or one version of it, answers requests. */
export const isReady = (table: ModelTable, name: string, version?: string): boolean => {
  const ready = table.get(name)?.ready ?? [];
  return version === undefined ? ready.length > 0 : ready.some((one) => one.version === version);
};

export const reasonOf = (model: ServedModel): PipelineError | undefined =>
  model.problem ?? model.failed.at(-1)?.reason ?? (lacksVersion(model) ? noVersion(model.name) : undefined);

/** A model without any version. */
export const emptyModel = (
  name: string,
  files: ModelFiles = { shared: "", versions: new Map() },
): ServedModel => ({ name, ready: [], failed: [], files });

/** Whether a model can be read but has no version to load. */
export const lacksVersion = ({ ready, failed, problem }: ServedModel): boolean =>
  ready.length + failed.length === 0 && problem === undefined;

export const versionsOf = (table: ModelTable): readonly ReadyVersion[] =>
  [...table.values()].flatMap(({ ready }) => ready);

/** Versions for which neither their own files nor those shared by all versions have changed. */
export const unchangedVersions = (
  served: ServedModel | undefined,
  files: ModelFiles,
): ReadonlyMap<string, ReadyVersion> => {
  if (served === undefined || served.files.shared !== files.shared) return new Map();
  const same = served.ready.filter(
    ({ version }) => served.files.versions.get(version) === files.versions.get(version),
  );
  return new Map(same.map((ready) => [ready.version, ready]));
};

export const byName = <T extends { readonly name: string }>(a: T, b: T): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** The reason why a version is no longer served. */
export const unloaded: PipelineError = foreignError("model/unavailable", "unloaded");

/** An error's message and help for display, and whether the machine lacks something. */
export const because = (
  error: PipelineError | undefined,
): { readonly reason?: string; readonly help?: string; readonly needsTool?: true } =>
  error === undefined
    ? {}
    : {
        reason: error.message,
        ...(error.help === undefined ? {} : { help: error.help }),
        ...(error.code === "tool/missing" ? { needsTool: true as const } : {}),
      };

const unknown = (
  code: "model/not-found" | "model/unavailable",
  text: string,
  reason?: PipelineError,
): PipelineError =>
  reason === undefined || reason === unloaded
    ? foreignError(code, `Request for unknown model: ${text}`)
    : foreignError(code, `Request for unknown model: ${text}: ${reason.message.trimEnd()}`, {
        cause: reason,
        ...(reason.help === undefined ? {} : { help: reason.help }),
      });
