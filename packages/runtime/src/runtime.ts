import type { MetricFamily } from "./statistics/custom-metrics.ts";
import type { FailureReason, ModelStatistics } from "./statistics/model-statistics.ts";
import type { InferRequest, InferResponse, ModelMetadata, ServerMetadata } from "@tritype/protocol";

export type {
  InferRequest,
  InferResponse,
  ModelMetadata,
  Parameter,
  Parameters,
  ServerMetadata,
  TensorMetadata,
} from "@tritype/protocol";

/** One line of the repository's index. A model that could not even be read, or was never loaded, has no version. */
export interface ModelStatus {
  readonly name: string;
  readonly version?: string;
  /** UNKNOWN: the model has not been requested yet. */
  readonly state: "READY" | "UNAVAILABLE" | "LOADING" | "UNLOADING" | "UNKNOWN";
  /**
   * Why it is unavailable: Triton's text where Triton has one. Of a model that is READY: why it is not what the repository holds by
   * now.
   */
  readonly reason?: string;
  /** What to do about it. */
  readonly help?: string;
  /** The machine lacks a program or a package that the model needs. */
  readonly needsTool?: true;
}

/** What a load request brings in place of what the repository holds, until the next load. */
export interface LoadOverride {
  /** The configuration as JSON. */
  readonly config?: string;
  /** All files of the model's folder, by path in it: `1/model.onnx`. They need a configuration. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
}

/** Statistics of one version, and further data for its metrics. */
export interface VersionStatistics extends ModelStatistics {
  readonly name: string;
  readonly version: string;
  /** Requests that wait for an execution. */
  readonly pending: number;
  readonly failures: ReadonlyMap<FailureReason, number>;
}

/** What a reload did, by name of the model; every model of the repository is in one of the lists. */
export interface ReloadReport {
  /** Newly loaded: new models, changed ones, and the ensembles that use them. */
  readonly loaded: readonly string[];
  /** No longer in the repository. */
  readonly unloaded: readonly string[];
  readonly unchanged: readonly string[];
  /** What could not be loaded, and what must stay as it is for that reason. */
  readonly failed: readonly FailedReload[];
}

export interface FailedReload {
  readonly name: string;
  /** Whether the version from before goes on serving. */
  readonly serving: boolean;
  readonly reason: string;
  readonly help?: string;
  /** The models whose failure keeps it from changing; none when it fails by itself. */
  readonly waitsFor: readonly string[];
}

/**
 * The service core that HTTP (and later gRPC) adapt. All failures are `PipelineError`s whose message is Triton's text and whose
 * code maps to its status: `request/invalid` 400, `request/malformed` 500, `model/not-found` 404, `model/unavailable` 503,
 * `request/unsupported` 501, `model/failed` 500.
 */
export interface Runtime {
  readonly live: boolean;
  /** False while it stops and, with strict readiness, while a model cannot be served; unloaded models do not count. */
  readonly ready: boolean;
  serverMetadata(): ServerMetadata;
  /** Every model that is known, by name and version. */
  models(): readonly ModelStatus[];
  /** Triton's index of the repository: with explicit control every folder of it, loaded or not. */
  index(): Promise<readonly ModelStatus[]>;
  modelReady(model: string, version?: string): boolean;
  modelMetadata(model: string, version?: string): ModelMetadata;
  /** The configuration as `/v2/models/<model>/config` prints it: JSON with Triton's names. */
  modelConfig(model: string, version?: string): object;
  /** Whether it may answer a request with any number of responses. @throws PipelineError as `infer`. */
  decoupled(model: string, version?: string): boolean;
  /**
   * Runs a request. When `signal` is aborted it leaves the queue that it waits in, and an ensemble starts no further step; what runs
   * already ends by itself.
   * @param accepted Called when the request has passed every check and goes to its model: a failure after that is the model's answer.
   * @throws PipelineError; `request/cancelled` after an abort.
   */
  infer(request: InferRequest, signal?: AbortSignal, accepted?: () => void): Promise<InferResponse>;
  /** What the versions that are ready have done: of all models, of one, or of one version. @throws PipelineError `request/invalid` */
  statistics(model?: string, version?: string): readonly VersionStatistics[];
  /** The metrics that models make by themselves. */
  customMetrics(): readonly MetricFamily[];
  /**
   * Reads the repository again and serves what it holds now. Changed models are loaded beside those that run; then requests go to
   * the new ones at once, and what ran before ends with its last request. A model that cannot be loaded leaves its old version
   * serving, and so does every changed model that ensembles link to it: a request never sees half a change. Reloads run one after
   * the other.
   * @throws PipelineError as `startRuntime` if the repository no longer exists; everything is served as before.
   * `model/unavailable` with explicit control.
   */
  reload(): Promise<ReloadReport>;
  /**
   * With explicit control: loads a model and the members of an ensemble, or what of them has changed. It is served when this resolves;
   * until then, and when it cannot be loaded, what was served before goes on.
   * @throws PipelineError with Triton's text: `model/unavailable` without explicit control, `request/invalid` when it cannot be
   * loaded or its name leads out of the repository, `repository/invalid` when it cannot be read.
   */
  load(model: string, override?: LoadOverride): Promise<void>;
  /**
   * With explicit control: unloads a model and the ensembles that use it; requests that run are answered. Unknown models are none.
   * @param dependents Also the members that came only with it.
   * @throws PipelineError `model/unavailable` without explicit control.
   */
  unload(model: string, dependents?: boolean): Promise<void>;
  /**
   * Lets running requests end, then stops workers and children.
   * @param atOnce Stops them while requests run, which fail; a Python process gets 5 s for its `finalize`. Default false.
   */
  close(atOnce?: boolean): Promise<void>;
}
