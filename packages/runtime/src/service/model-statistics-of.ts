import { foreignError, type PipelineError } from "@tritype/core";
import type { VersionStatistics } from "../runtime.ts";
import type { ModelTable, ReadyVersion } from "./model-table.ts";

/**
 * Statistics by name and version.
 * @throws PipelineError `request/invalid` with Triton's text for a version that is not ready.
 */
export const statisticsOf = (
  table: ModelTable,
  model?: string,
  version?: string,
): readonly VersionStatistics[] => {
  const served = [...table.values()].filter(({ name }) => model === undefined || name === model);
  const ready = served
    .flatMap((one) => one.ready)
    .filter((one) => version === undefined || one.version === version);
  if (model !== undefined && ready.length === 0) throw notAvailable(model, version);
  return ready.toSorted((a, b) => (a.model < b.model ? -1 : a.model > b.model ? 1 : 0)).map(describe);
};

const describe = ({ model, version, statistics, scheduler }: ReadyVersion): VersionStatistics => ({
  name: model,
  version,
  ...statistics.snapshot(),
  pending: scheduler.waiting(),
  failures: statistics.failures(),
});

const notAvailable = (model: string, version: string | undefined): PipelineError =>
  foreignError(
    "request/invalid",
    version === undefined
      ? `requested model '${model}' is not available`
      : `requested model version is not available for model '${model}'`,
  );
