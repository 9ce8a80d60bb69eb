import type { ErrorCode, PipelineError } from "@tritype/core";
import { noVersion } from "../repository/read-model.ts";
import { byVersion } from "@tritype/triton";
import type { ModelStatus } from "../runtime.ts";
import {
  because,
  byName,
  emptyModel,
  lacksVersion,
  type ModelTable,
  type ReadyVersion,
  reasonOf,
  type ServedModel,
  unloaded,
} from "./model-table.ts";

/** Loads and unloads in progress, in addition to the served models. */
export interface Underway {
  /** Model → versions that are being loaded. */
  readonly loading: ReadonlyMap<string, readonly string[]>;
  /** Versions that are no longer served but are still running. */
  readonly ending: readonly ReadyVersion[];
}
const nothingUnderway: Underway = { loading: new Map(), ending: [] };

/** Every model of the table, by name and version, with reasons for display. Triton's index lacks models without a version. */
export const modelStatuses = (table: ModelTable): readonly ModelStatus[] => {
  const shown = [...table].map(([name, model]): readonly [string, ServedModel] => [
    name,
    lacksVersion(model) ? { ...model, problem: noVersion(name) } : model,
  ]);
  return repositoryIndex(new Map(shown), nothingUnderway, ({ message }) => message);
};

/** Every model in the table, by name and version, as listed in Triton's index. */
export const repositoryIndex = (
  table: ModelTable,
  underway: Underway = nothingUnderway,
  textOf: (error: PipelineError) => string = stateReason,
): readonly ModelStatus[] =>
  [...underway.loading.keys()]
    .flatMap((name) => (table.has(name) ? [] : emptyModel(name)))
    .concat(...table.values())
    .toSorted(byName)
    .flatMap((model) => entries(model, underway, textOf));

/** The models of a repository's folders, including those that were never loaded. */
export const folderIndex = (
  folders: readonly string[],
  table: ModelTable,
  underway: Underway,
): readonly ModelStatus[] => {
  const others = folders.filter((name) => !table.has(name) && !underway.loading.has(name));
  return [
    ...repositoryIndex(table, underway).filter(({ name }) => folders.includes(name)),
    ...others.map((name): ModelStatus => ({ name, state: "UNKNOWN" })),
  ].toSorted(byName);
};

const entries = (
  { name, ready, failed, problem, refused }: ServedModel,
  { loading, ending }: Underway,
  textOf: (error: PipelineError) => string,
): readonly ModelStatus[] => {
  const why = (error: PipelineError | undefined): Pick<ModelStatus, "reason" | "help"> =>
    error === undefined ? {} : { ...because(error), reason: textOf(error) };
  if (problem !== undefined) return [{ name, state: "UNAVAILABLE", ...why(problem) }];
  const isReady = new Set(ready.map(({ version }) => version));
  const isLoading = new Set((loading.get(name) ?? []).filter((version) => !isReady.has(version)));
  const ends = (version: string): boolean =>
    ending.some((one) => one.model === name && one.version === version);
  const left = (version: string, reason: PipelineError): ModelStatus =>
    reason === unloaded && ends(version)
      ? { name, version, state: "UNLOADING" }
      : { name, version, state: "UNAVAILABLE", ...why(reason) };
  return [
    ...ready.map(({ version }): ModelStatus => ({ name, version, state: "READY", ...why(refused?.reason) })),
    ...[...isLoading].map((version): ModelStatus => ({ name, version, state: "LOADING" })),
    ...failed
      .filter(({ version }) => !isLoading.has(version))
      .map(({ version, reason }) => left(version, reason)),
  ].toSorted((a, b) => byVersion(a.version ?? "0", b.version ?? "0"));
};

/**
 * Whether every version is ready, except for unloaded ones, and every model has a version. Models that Triton does not try
 * to load do not count: those whose configuration is wrong, and ensembles without their members. Source:
 * `InferenceServer::IsReady` of Triton core with `--strict-readiness`.
 */
export const allReady = (table: ModelTable, underway: Underway = nothingUnderway): boolean =>
  ![...table.values()].some(lacksVersion) &&
  repositoryIndex(table, underway).every(
    ({ version, state, reason }) => state === "READY" || version === undefined || reason === unloaded.message,
  );

/** Why Triton considers the load of a model as failed. */
export const loadProblem = (model: ServedModel): string | undefined => {
  const { failed, problem } = model;
  if (problem !== undefined || failed.length === 0) return reasonOf(model)?.message;
  return failed
    .map(({ version, reason }) => `version ${version} is at UNAVAILABLE state: ${stateReason(reason)};`)
    .join("");
};

/** An error in the form in which Triton prints its status in the index and in the response to a load. */
export const stateReason = (error: PipelineError): string =>
  error === unloaded ? error.message : `${statusNames[error.code] ?? "Invalid argument"}: ${error.message}`;

const statusNames: Readonly<Partial<Record<ErrorCode, string>>> = {
  "model/failed": "Internal",
  "model/unavailable": "Unavailable",
  "request/unsupported": "Unsupported",
};
