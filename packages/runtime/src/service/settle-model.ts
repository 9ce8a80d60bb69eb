import { foreignError } from "@tritype/core";
import { type ReadyVersion, type ServedModel, unloaded } from "./model-table.ts";
import { loadProblem } from "./repository-index.ts";
import type { Settle } from "./transition.ts";

/**
 * Settles model by model, as load requests do: a failing model keeps its served versions; an ensemble that cannot be
 * composed has none. Source: `ModelRepositoryManager` and `ModelLifeCycle` of Triton core.
 */
export const settleModel: Settle = (before, made, refusal) => {
  if (made === undefined || refusal !== undefined)
    return { model: before && withoutVersions(before), problem: refusal };
  const problem = loadProblem(made);
  return problem === undefined
    ? { model: { ...made, failed: notReady(before, made.ready) } }
    : { model: kept(before, made, problem), problem };
};

const withoutVersions = (model: ServedModel): ServedModel => {
  const { refused: _, ...served } = model;
  return { ...served, ready: [], failed: notReady(served) };
};

/** The state of the versions that are not in `ready`. */
const notReady = (
  served: ServedModel | undefined,
  ready: readonly ReadyVersion[] = [],
): ServedModel["failed"] => {
  const now = new Set(ready.map(({ version }) => version));
  const left = (served?.ready ?? []).map(({ version }) => ({ version, reason: unloaded }));
  return [...(served?.failed ?? []), ...left].filter(({ version }) => !now.has(version));
};

/** If one version of a model cannot be loaded, the other new versions end with it, and the served ones stay. */
const kept = (before: ServedModel | undefined, made: ServedModel, problem: string): ServedModel => {
  const ready = before?.ready ?? [];
  const ended = made.ready.map(({ version }) => ({ version, reason: unloaded }));
  const failed = new Map(
    [...notReady(before, ready), ...ended, ...made.failed].map((one) => [one.version, one]),
  );
  for (const { version } of ready) failed.delete(version);
  return {
    ...(before ?? made),
    ready,
    failed: [...failed.values()],
    refused: {
      files: made.files,
      reason: made.failed[0]?.reason ?? foreignError("repository/invalid", problem),
    },
  };
};
