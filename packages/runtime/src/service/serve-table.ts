import { defaultRelease, isDecoupled, modelConfigToJson } from "@tritype/triton";
import type { Runtime, ServerMetadata, StreamedMessage, VersionStatistics } from "../runtime.ts";
import { cancelled, onAbort } from "../scheduling/cancellation.ts";
import { createMessageQueue, type MessageQueue } from "../streaming/message-queue.ts";
import type { CustomMetrics } from "../statistics/custom-metrics.ts";
import { admitRequest, admitStream, onlyResponse } from "./answer-request.ts";
import { metadataOf } from "./metadata.ts";
import { findVersion, isReady, type ModelTable, type ReadyVersion } from "./model-table.ts";
import { modelStatuses } from "./repository-index.ts";
import type { RuntimeControl } from "./runtime-control.ts";
import type { ServedTable } from "./served-table.ts";
import { createRunningCount } from "./running-count.ts";
import { stopping } from "./stopping.ts";
import { readFileSync } from "node:fs";
import { foreignError, type PipelineError } from "@tritype/core";

/**
 * Answers requests with the models in the table. `close()` waits for running requests unless `atOnce` is true.
 * @param strictReadiness Whether the server is not ready while one of its models is not.
 */
export const serveTable = (
  served: ServedTable,
  metrics: CustomMetrics,
  control: RuntimeControl,
  strictReadiness: boolean,
): Runtime => {
  const table = served.current;
  const running = createRunningCount();
  let closing: Promise<void> | undefined;
  /** Refuses changes once the runtime is closing. */
  const open = <T>(work: () => Promise<T>): Promise<T> =>
    closing === undefined ? work() : Promise.reject(stopping());
  const infer: Runtime["infer"] = async (request, signal, accepted, trace) => {
    if (closing !== undefined) throw stopping();
    running.add();
    try {
      const run = admitRequest(table(), request, { signal, trace });
      return onlyResponse(await run(accepted));
    } finally {
      running.remove();
    }
  };
  const openStream = (...[request, signal, accepted, trace]: Parameters<Runtime["stream"]>): MessageQueue => {
    if (closing !== undefined) throw stopping();
    let stopListening = (): void => {};
    const start = admitStream(table(), request, { signal, trace }, () => {
      stopListening();
      running.remove();
    });
    running.add();
    accepted?.();
    const messages = start();
    // Registered after the request's own listener, so that the model is notified before the messages end.
    stopListening = onAbort(signal, () => messages.push({ error: cancelled(request.id), final: true }));
    return messages;
  };
  return {
    live: true,
    get ready() {
      return closing === undefined && (!strictReadiness || control.ready());
    },
    serverMetadata,
    models: () => modelStatuses(table()),
    index: () => control.index(),
    modelReady: (model, version) => closing === undefined && isReady(table(), model, version),
    modelMetadata: (model, version) => {
      const { config } = findVersion(table(), model, version);
      const versions =
        version === undefined ? (table().get(model)?.ready ?? []).map((ready) => ready.version) : [version];
      return metadataOf(config, versions);
    },
    loadedFiles: (model) => {
      const loaded = table().get(model);
      return loaded && JSON.stringify([...loaded.files.versions]);
    },
    modelConfig: (model, version) => modelConfigToJson(findVersion(table(), model, version).config),
    decoupled: (model, version) => isDecoupled(findVersion(table(), model, version).config),
    infer,
    stream: (...given) => ({ [Symbol.asyncIterator]: () => openAtFirst(() => openStream(...given)) }),
    cacheCounts: () => served.shared.cache?.counts(),
    customMetrics: () => metrics.families(),
    statistics: (model, version) => versionsFor(table(), model, version).map(describe),
    recentLatencies: (quantiles) =>
      versionsFor(table()).map(({ model: name, version, statistics }) => ({
        name,
        version,
        quantiles: statistics.recentLatency(quantiles),
      })),
    processes: () =>
      sortedByModel(served.running()).flatMap(({ model: name, version, loaded }) =>
        (loaded.processes?.() ?? []).map((process) => ({ name, version, ...process })),
      ),
    load: (model, override) => open(() => control.load(model, override)),
    unload: (model, dependents) => open(() => control.unload(model, dependents)),
    reload: () => open(() => control.reload()),
    close: (atOnce = false) => {
      const stopped = atOnce ? served.stop() : Promise.resolve();
      // Running models may still call other models.
      closing ??= control
        .close()
        .then(running.none)
        .then(() => served.close());
      return Promise.all([stopped, closing]).then(() => undefined);
    },
  };
};

/** Puts the request in the queue when the first message is requested. */
const openAtFirst = (open: () => MessageQueue): AsyncIterator<StreamedMessage> => {
  let messages: MessageQueue | undefined;
  return {
    next: async () => (messages ??= open()).next(),
    return: async () => (messages ??= createMessageQueue(() => {})).return(),
  };
};

/** Supported extensions of KServe v2, in Triton's order. */
const extensions = [
  "classification",
  "sequence",
  "model_repository",
  "model_repository(unload_dependents)",
  "schedule_policy",
  "model_configuration",
  ...(process.platform === "linux" ? ["system_shared_memory"] : []),
  "binary_tensor_data",
  "parameters",
  "statistics",
  "trace",
  "logging",
];

/**
 * Triton's own examples and tests abort if the name is not "triton". The version is that of the Triton whose behaviour
 * is reproduced, with the version of Tritype appended: `2.51.0+tritype.0.1.0`.
 */
const serverMetadata = (): ServerMetadata => ({
  name: "triton",
  version: `${defaultRelease.server}+tritype.${packageVersion()}`,
  extensions,
});

const packageVersion = (): string => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
};

/**
 * The versions to describe, by name.
 * @throws PipelineError `request/invalid` with Triton's text for a version that is not ready.
 */
const versionsFor = (table: ModelTable, model?: string, version?: string): readonly ReadyVersion[] => {
  const served = [...table.values()].filter(({ name }) => model === undefined || name === model);
  const ready = served
    .flatMap((one) => one.ready)
    .filter((one) => version === undefined || one.version === version);
  if (model !== undefined && ready.length === 0) throw notAvailable(model, version);
  return sortedByModel(ready);
};

const sortedByModel = (versions: readonly ReadyVersion[]): readonly ReadyVersion[] =>
  versions.toSorted((a, b) => (a.model < b.model ? -1 : a.model > b.model ? 1 : 0));

const describe = ({ model, version, config, statistics, scheduler }: ReadyVersion): VersionStatistics => ({
  name: model,
  version,
  ...statistics.snapshot(),
  pending: scheduler.waiting(),
  cached: config.response_cache?.enable === true,
  tags: config.metric_tags,
  failures: statistics.failures(),
  summaries: statistics.summaries(),
});

const notAvailable = (model: string, version: string | undefined): PipelineError =>
  foreignError(
    "request/invalid",
    version === undefined
      ? `requested model '${model}' is not available`
      : `requested model version is not available for model '${model}'`,
  );
