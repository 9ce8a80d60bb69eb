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

/** One line of the repository's index. A model that could not even be read has no version. */
export interface ModelStatus {
  readonly name: string;
  readonly version?: string;
  readonly state: "READY" | "UNAVAILABLE";
  /** Why it is unavailable: Triton's text where Triton has one. */
  readonly reason?: string;
  /** What to do about it. */
  readonly help?: string;
}

/**
 * The service core that HTTP (and later gRPC) adapt. All failures are `PipelineError`s whose message is Triton's text and whose
 * code maps to its status: `request/invalid` 400, `request/malformed` 500, `model/not-found` 404, `model/unavailable` 503,
 * `request/unsupported` 501, `model/failed` 500.
 */
export interface Runtime {
  readonly live: boolean;
  readonly ready: boolean;
  serverMetadata(): ServerMetadata;
  /** Every model of the repository, by name and version. */
  models(): readonly ModelStatus[];
  modelReady(model: string, version?: string): boolean;
  modelMetadata(model: string, version?: string): ModelMetadata;
  /** The configuration as `/v2/models/<model>/config` prints it: JSON with Triton's names. */
  modelConfig(model: string, version?: string): object;
  infer(request: InferRequest): Promise<InferResponse>;
  /** Lets running requests end, then stops workers and children. */
  close(): Promise<void>;
}
