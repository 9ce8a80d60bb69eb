import type { InstanceProcess } from "./backend.ts";
import type { ResponseCacheCounts } from "./scheduling/response-cache.ts";
import type { MetricFamily } from "./statistics/custom-metrics.ts";
import type { FailureReason, LatencySummaries, ModelStatistics } from "./statistics/model-statistics.ts";
import type { RequestTrace } from "./tracing/request-trace.ts";
import type { PipelineError } from "@tritype/core";
import type { InferRequest, InferResponse, ModelMetadata, ServerMetadata } from "@tritype/protocol";
import type { CancelSignal } from "./scheduling/cancellation.ts";

export type {
  InferRequest,
  InferResponse,
  ModelMetadata,
  Parameter,
  Parameters,
  ServerMetadata,
  TensorMetadata,
} from "@tritype/protocol";

/** One line of the repository's index. A model that could not be read, or was never loaded, has no version. */
export interface ModelStatus {
  readonly name: string;
  readonly version?: string;
  /** UNKNOWN: the model has not been requested yet. */
  readonly state: "READY" | "UNAVAILABLE" | "LOADING" | "UNLOADING" | "UNKNOWN";
  /**
   * The reason why it is unavailable, in Triton's words if Triton has a message for it. For a READY model: the reason
   * why it is not the version that is currently in the repository.
   */
  readonly reason?: string;
  /** How to fix the problem. */
  readonly help?: string;
  /** The machine lacks a program or a package that the model needs. */
  readonly needsTool?: true;
}

/** One message in the answer to a request: a response, an error, or only the end. */
export interface StreamedMessage {
  readonly response?: InferResponse;
  readonly error?: PipelineError;
  /** The same error, if the request was refused before it waited for the model. */
  readonly refused?: PipelineError;
  /** Whether no further message follows. */
  readonly final: boolean;
}

/** Content of a load request that overrides the repository's until the next load. */
export interface LoadOverride {
  /** The configuration as JSON. */
  readonly config?: string;
  /** All files of the model's folder, by path within it: `1/model.onnx`. They require a configuration. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
}

/** Statistics of one version, and further data for its metrics. */
export interface VersionStatistics extends ModelStatistics {
  readonly name: string;
  readonly version: string;
  /** Number of requests waiting for an execution. */
  readonly pending: number;
  /** Whether the server's cache, if it has one, is consulted first. */
  readonly cached: boolean;
  /** `metric_tags` of the configuration. Default: none. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly failures: ReadonlyMap<FailureReason, number>;
  /** Only with `summaryQuantiles`. */
  readonly summaries?: LatencySummaries | undefined;
}

/** How long the recent successful requests to one version took. */
export interface VersionLatency {
  readonly name: string;
  readonly version: string;
  /** In microseconds; NaN without a request in the last minute. */
  readonly quantiles: readonly (readonly [quantile: number, microseconds: number])[];
}

/** The process of one instance of a version. */
export interface ModelProcess extends InstanceProcess {
  readonly name: string;
  readonly version: string;
}

/** The result of a reload, by model name; every model of the repository is in one of the lists. */
export interface ReloadReport {
  /** Newly loaded: new models, changed ones, and the ensembles that use them. */
  readonly loaded: readonly string[];
  /** No longer in the repository. */
  readonly unloaded: readonly string[];
  readonly unchanged: readonly string[];
  /** Models that could not be loaded, and those that must stay unchanged for that reason. */
  readonly failed: readonly FailedReload[];
}

export interface FailedReload {
  readonly name: string;
  /** Whether the previous version continues to serve. */
  readonly serving: boolean;
  readonly reason: string;
  readonly help?: string;
  /** The models whose failure prevents the change; empty if this model itself fails. */
  readonly waitsFor: readonly string[];
}

/**
 * The service core; HTTP and gRPC are adapters for it. All failures are `PipelineError`s whose message is Triton's text
 * and whose code maps to its status: `request/invalid` 400, `request/malformed` 500, `model/not-found` 404,
 * `model/unavailable` 503, `request/unsupported` 501, `model/failed` 500.
 */
export interface Runtime {
  readonly live: boolean;
  /**
   * False while the runtime is stopping and, with strict readiness, while a model cannot be served; unloaded models do
   * not count.
   */
  readonly ready: boolean;
  serverMetadata(): ServerMetadata;
  /** Every known model, by name and version. */
  models(): readonly ModelStatus[];
  /** Triton's index of the repository: with explicit control, every folder in it, loaded or not. */
  index(): Promise<readonly ModelStatus[]>;
  modelReady(model: string, version?: string): boolean;
  modelMetadata(model: string, version?: string): ModelMetadata;
  /**
   * The files that a model's versions were loaded from, as a string that changes with them; undefined for an unknown
   * model.
   */
  loadedFiles(model: string): string | undefined;
  /** The configuration as `/v2/models/<model>/config` prints it: JSON with Triton's names. */
  modelConfig(model: string, version?: string): object;
  /** Whether it may respond to a request with any number of responses. @throws PipelineError as `infer` does. */
  decoupled(model: string, version?: string): boolean;
  /**
   * Runs a request. If `signal` is aborted, the request leaves its queue, and an ensemble starts no further step;
   * executions in progress are completed.
   * @param accepted Called if the request has passed every check, including its scheduler's: any later failure is the
   * model's response.
   * @param trace Follows the request and the requests that it triggers. Default: it is not traced.
   * @throws PipelineError; `request/cancelled` after an abort.
   */
  infer(
    request: InferRequest,
    signal?: CancelSignal,
    accepted?: () => void,
    trace?: RequestTrace,
  ): Promise<InferResponse>;
  /**
   * Runs a request to any model when the first message is requested, and yields its messages as they arrive. A model that is
   * not decoupled sends one. A reader that does not read slows a decoupled model down; `return()` cancels the request,
   * even while `next()` waits. If `signal` is aborted, the last message is the error
   * `request/cancelled`.
   * @param accepted Like that of `infer`; later failures are messages.
   * @param trace As for `infer`.
   * @throws PipelineError from the first `next()`, as `infer` does, if the request is refused.
   */
  stream(
    request: InferRequest,
    signal?: CancelSignal,
    accepted?: () => void,
    trace?: RequestTrace,
  ): AsyncIterable<StreamedMessage>;
  /**
   * Statistics of ready versions: of all models, of one model, or of one version.
   * @throws PipelineError `request/invalid`
   */
  statistics(model?: string, version?: string): readonly VersionStatistics[];
  /**
   * Quantiles of the time that requests took in the last minute, of all ready versions. Nothing is recorded before the
   * first call.
   * @param quantiles Such as 0.99.
   */
  recentLatencies(quantiles: readonly number[]): readonly VersionLatency[];
  /** The processes that run instances of models, including models that are ending. Instances in this process have none. */
  processes(): readonly ModelProcess[];
  /** The state of the response cache; undefined if the server has none. */
  cacheCounts(): ResponseCacheCounts | undefined;
  /** The custom metrics of models. */
  customMetrics(): readonly MetricFamily[];
  /**
   * Reads the repository again and serves its current content. Changed models are loaded in parallel to the running
   * ones; then new requests go to the new ones, and the old ones end with their last request. If a model cannot be
   * loaded, its old version continues to serve, as do all changed models that are linked to it by ensembles: a request
   * never sees half a change. Reloads run one after the other.
   * @throws PipelineError as `startRuntime` if the repository no longer exists; everything is served as before.
   * `model/unavailable` with explicit control.
   */
  reload(): Promise<ReloadReport>;
  /**
   * With explicit control: loads a model, and the members of an ensemble, if they have changed. It is served when
   * this resolves. Until then, and if it cannot be loaded, the previous version continues to serve.
   * @throws PipelineError with Triton's text: `model/unavailable` without explicit control, `request/invalid` if it
   * cannot be loaded or its name leads out of the repository, `repository/invalid` if it cannot be read.
   */
  load(model: string, override?: LoadOverride): Promise<void>;
  /**
   * With explicit control: unloads a model and the ensembles that use it; running requests are completed. Unknown
   * models are ignored.
   * @param dependents Whether to also unload the members that were loaded only for it.
   * @throws PipelineError `model/unavailable` without explicit control.
   */
  unload(model: string, dependents?: boolean): Promise<void>;
  /**
   * Waits for running requests, then stops workers and children.
   * @param atOnce Stops them immediately, so that running requests fail; a Python process gets 5 s for its `finalize`.
   * Default false.
   */
  close(atOnce?: boolean): Promise<void>;
}
