import type { NamedTensors } from "@tritype/core";
import type {
  ModelMetadata,
  ModelStatistics,
  Parameters,
  RepositoryEntry,
  ServerMetadata,
} from "@tritype/protocol";

/** One inference. */
export interface InferCall {
  readonly model: string;
  /** Default: the server's latest version. */
  readonly version?: string | undefined;
  readonly id?: string | undefined;
  readonly inputs: NamedTensors;
  /** Names of the outputs to return; default: all. */
  readonly outputs?: readonly string[] | undefined;
  readonly parameters?: Parameters | undefined;
}

/**
 * A KServe v2 server, over HTTP or gRPC. Calls reject with a `PipelineError` that has the server's message and the code
 * for its status (`request/invalid`, `model/not-found`, `model/unavailable`, `request/unsupported`, `model/failed`), or
 * `server/unreachable`. Over HTTP, a model's name or version that would change the address is `request/invalid`.
 */
export interface InferenceClient {
  /** False if no server answers. */
  live(): Promise<boolean>;
  /** False if no server answers. */
  ready(): Promise<boolean>;
  serverMetadata(): Promise<ServerMetadata>;
  modelMetadata(model: string, version?: string): Promise<ModelMetadata>;
  /** Triton's ModelConfig in JSON, with the proto's names. */
  modelConfig(model: string, version?: string): Promise<object>;
  /** The statistics of every loaded version of every model. */
  statistics(): Promise<readonly ModelStatistics[]>;
  /** Every version of every model in the server's repository. */
  repositoryIndex(): Promise<readonly RepositoryEntry[]>;
  /** The outputs in the order of the response. An abort cancels the request, which then fails with `request/cancelled`. */
  infer(call: InferCall, signal?: AbortSignal): Promise<NamedTensors>;
  close(): Promise<void>;
}

/** A client that also supports models with any number of responses. */
export interface StreamingClient extends InferenceClient {
  /**
   * The outputs of each response. The request is cancelled when the reader stops reading, or by an abort, which makes
   * it fail with `request/cancelled`.
   */
  stream(call: InferCall, signal?: AbortSignal): AsyncIterable<NamedTensors>;
}

export interface ClientOptions {
  /**
   * Maximum duration of a call in milliseconds; for a stream, the longest wait for its next response. Default, and from 2e9 on: no
   * limit.
   */
  readonly timeoutMs?: number;
  /** Sent with every request, over gRPC as its metadata. Never sent to another address: redirects are not followed. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Over HTTP: whether tensors are sent and received as binary data, an extension of KServe v2. Default true. */
  readonly binary?: boolean;
}

/** Neither timers nor gRPC can wait for longer than 2 ** 31 ms. */
export const isLimit = (timeoutMs: number | undefined): timeoutMs is number =>
  timeoutMs !== undefined && timeoutMs < 2_000_000_000;
