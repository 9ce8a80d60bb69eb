import { dtypes, isDType, type NamedTensors, PipelineError } from "@tritype/core";
import type {
  InferRequest,
  ModelMetadata,
  ModelStatistics,
  RepositoryEntry,
  ServerMetadata,
} from "@tritype/protocol";
import { abortSignalOf, type ModelStatus, type Runtime } from "@tritype/runtime";
import { type DataType, type ModelConfig, modelConfigFromJson, printModelConfig } from "@tritype/triton";
import type { Live, ModelState } from "./api.ts";
import { describeModels } from "./describe-models.ts";
import { inspectorError } from "./errors.ts";
import { digestOf } from "./digest.ts";
import { activityOf, type Description, type Inspected, isLost, type StepwiseServer } from "./inspected.ts";
import { readMetrics } from "./read-metrics.ts";

/** The queries to a KServe v2 server, like those of `httpClient` in @tritype/client. */
export interface ServerClient {
  repositoryIndex(): Promise<readonly RepositoryEntry[]>;
  modelMetadata(model: string): Promise<ModelMetadata>;
  /** The configuration in JSON, with Triton's names. */
  modelConfig(model: string): Promise<object>;
  statistics(): Promise<readonly ModelStatistics[]>;
  infer(request: InferRequest, signal?: AbortSignal): Promise<NamedTensors>;
}

export interface ServerSource {
  /** Its HTTP address. */
  readonly url: string;
  readonly server: ServerMetadata;
  readonly client: ServerClient;
  /** For models that stream; if undefined, their requests are refused. */
  readonly streaming?:
    | { stream(request: InferRequest, signal?: AbortSignal): AsyncIterable<NamedTensors> }
    | undefined;
  /** Prometheus text of its metrics. Default: they are not shown. */
  readonly metrics?: (() => Promise<string>) | undefined;
  /** Models to show even if the server does not list them. */
  readonly models: readonly string[];
  /** Names of the headers that the client sends. Default: none. */
  readonly headers?: readonly string[];
  /** Sends a request to each step separately. Default: the tensors between the steps are not shown. */
  readonly bySteps?: StepwiseServer;
}

/** A server at an address. */
export interface InspectedServer extends Inspected {
  /** Sends a request to a model of the last description, or fails with `model/not-found`; it cannot be traced. */
  readonly stream: Runtime["stream"];
}

/** How long a description is kept, because a server does not announce that it has loaded another configuration. */
const keptMs = 60_000;
/** Number of models that are queried at the same time. */
const together = 16;

/**
 * A server, described by its API.
 * @param now In milliseconds.
 * @throws PipelineError The client's error if it is not a KServe v2 server; `request/unsupported` if it does not list
 * its models and none are named.
 */
export const inspectServer = async (
  { url, server, client, streaming, metrics, models: named, headers = [], bySteps }: ServerSource,
  now: () => number = Date.now,
): Promise<InspectedServer> => {
  const lists = (await optional(() => client.repositoryIndex())) !== undefined;
  const first = await optional(() => client.statistics());
  const counts = first !== undefined;
  if (!lists && !counts && named.length === 0) throw inspectorError("inspect/no-models", { url });
  let shown: ReadonlySet<string> = new Set();
  let streams: ReadonlySet<string> = new Set();

  const statuses = async (): Promise<readonly ModelStatus[]> => {
    const listed = lists
      ? await client.repositoryIndex()
      : counts && named.length === 0
        ? (await client.statistics()).map(({ name, version }) => ({ name, version, state: "READY" }))
        : [];
    const unlisted = named.filter((name) => listed.every((one) => one.name !== name));
    return [...current(listed).map(statusOf), ...(await each(unlisted, statusByName)).flat()];
  };
  const statusByName = async (name: string): Promise<readonly ModelStatus[]> => {
    try {
      const { versions } = await client.modelMetadata(name);
      return versions.length === 0
        ? [{ name, state: "READY" }]
        : versions.map((version) => ({ name, version, state: "READY" as const }));
    } catch (error) {
      if (isLost(error)) throw error;
      return [{ name, state: "UNAVAILABLE", reason: (error as PipelineError).message }];
    }
  };
  const configOf = async (name: string): Promise<ModelConfig | undefined> => {
    const json = await optional(() => client.modelConfig(name));
    const read = json && modelConfigFromJson(json);
    if (read !== undefined && "config" in read) return read.config;
    const metadata = await optional(() => client.modelMetadata(name));
    return metadata && configFrom(metadata);
  };

  const describe = async (): Promise<Description> => {
    const known = await statuses();
    const names = [...new Set(known.map(({ name }) => name))];
    const loaded = names.filter((name) => known.some((one) => one.name === name && one.state === "READY"));
    const configs = new Map(await each(loaded, async (name) => [name, await configOf(name)] as const));
    const models = describeModels({
      statuses: known,
      configOf: (name) => configs.get(name),
      filesOf: () => undefined,
      manifest: undefined,
      findings: new Map(),
    });
    shown = new Set(names);
    streams = new Set(models.flatMap((one) => (one.streams ? [one.name] : [])));
    return {
      overview: {
        repository: url,
        url,
        server,
        missing: [
          "A server's API does not provide source lines or model files, so this page does not show them.",
          ...(headers.length === 0
            ? []
            : [`Requests carry ${headers.join(" and ")}, which the programs on this page leave out.`]),
          ...(counts ? [] : ["This server has no statistics, so there are no live figures."]),
          ...(lists
            ? []
            : ["This server does not list its models, so the page only shows those whose names it knows."]),
          ...(streaming === undefined && streams.size > 0
            ? ["Models that stream only answer over gRPC: pass --grpc-url to send requests to them."]
            : []),
        ],
        tensors: false,
        statistics: counts,
        models,
        findings: [],
        clients: [],
      },
      detail: ({ name }) => {
        const config = configs.get(name);
        if (config === undefined) return {};
        const text = printModelConfig(config);
        return { config: { path: "as the server reports it", firstLine: 1, text, cut: false } };
      },
      examples: () => [],
    };
  };

  async function* answers(request: InferRequest, signal?: AbortSignal): AsyncGenerator<NamedTensors> {
    // The name becomes part of the address, so an arbitrary name could reach the server's whole API.
    if (shown.size === 0) await describe();
    if (!shown.has(request.model)) throw inspectorError("inspect/unknown-model", { model: request.model });
    if (!streams.has(request.model)) yield client.infer(request, signal);
    else if (streaming === undefined)
      throw inspectorError("inspect/only-grpc", { model: request.model, option: "--grpc-url" });
    else yield* streaming.stream(request, signal);
  }
  return {
    tensors: false,
    bySteps,
    stamp: async () => digestOf([Math.floor(now() / keptMs), await statuses()]),
    describe,
    live: async (): Promise<Live> => {
      const [statistics, figures] = await Promise.all([client.statistics(), readAll(metrics)]);
      return {
        at: performance.now(),
        facts: figures?.facts ?? [],
        models: statistics.map((one) => {
          const pending = figures?.pending.get(`${one.name} ${one.version}`);
          return { ...activityOf(one), ...(pending === undefined ? {} : { pending }) };
        }),
      };
    },
    async *stream(request, signal) {
      const { model, version = "", id } = request;
      for await (const outputs of answers(request, signal && abortSignalOf(signal)))
        yield { response: { model, version, id, outputs }, final: false };
    },
  };
};

const readAll = async (
  metrics: ServerSource["metrics"],
): Promise<ReturnType<typeof readMetrics> | undefined> => {
  if (metrics === undefined) return undefined;
  try {
    return readMetrics(await metrics());
  } catch (error) {
    return { pending: new Map(), facts: [`no metrics: ${(error as Error).message}`] };
  }
};

/** Returns the results in order; runs a few at a time, so that a server with many models is not flooded. */
const each = async <T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<readonly U[]> => {
  const results: U[] = [];
  for (let from = 0; from < items.length; from += together)
    results.push(...(await Promise.all(items.slice(from, from + together).map(work))));
  return results;
};

/** Whether a later answer may differ, for example after a 503. */
const isDown = (error: unknown): boolean =>
  isLost(error) || (error as PipelineError).code === "model/unavailable";

/** undefined if the server refuses because it lacks that part of the API, at least for that model. */
const optional = async <T>(ask: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await ask();
  } catch (error) {
    if (isDown(error)) throw error;
    return undefined;
  }
};

/** Leaves out versions that were unloaded because a newer one is served. */
const current = (entries: readonly RepositoryEntry[]): readonly RepositoryEntry[] => {
  const ready = new Set(entries.flatMap(({ name, state }) => (state === "READY" ? [name] : [])));
  return entries.filter(
    ({ name, state, reason }) => state === "READY" || reason !== "unloaded" || !ready.has(name),
  );
};

const states: ReadonlySet<string> = new Set<ModelState>(["READY", "UNAVAILABLE", "LOADING", "UNLOADING"]);

const statusOf = ({ name, version, state = "", reason }: RepositoryEntry): ModelStatus => ({
  name,
  ...(version === undefined ? {} : { version }),
  state: states.has(state) ? (state as ModelState) : "UNKNOWN",
  ...(reason === undefined ? {} : { reason }),
});

/** The part of a configuration that a model's metadata has. Its sizes include the batch. */
const configFrom = ({ platform, inputs, outputs }: ModelMetadata): ModelConfig => {
  const ports = (tensors: ModelMetadata["inputs"]) =>
    tensors.map(({ name, datatype, shape }) => ({
      name,
      data_type: (isDType(datatype) ? dtypes[datatype].configName : "TYPE_INVALID") as DataType,
      dims: shape,
    }));
  return { platform, input: ports(inputs), output: ports(outputs) };
};
