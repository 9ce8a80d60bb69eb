export type TraceLevel = "TIMESTAMPS" | "TENSORS";

/** The options in `--trace-config` of tritonserver. */
export interface TraceOptions {
  /** Without a level, traces are off until a request turns them on. Default: none. */
  readonly levels?: readonly TraceLevel[];
  /** Every n-th request is traced. Default 1000. */
  readonly rate?: number;
  /** Maximum number of requests that are traced; below 0 for no limit. Default -1. */
  readonly count?: number;
  /**
   * The destination of traces: files of JSON, or a collector of spans. Default: none, and requests cannot turn traces
   * on.
   */
  readonly to?: TraceFiles | TraceCollector;
}

export interface TraceFiles {
  readonly kind: "files";
  /** Path of the file; an indexed file has `.0`, `.1`, … appended. */
  readonly file: string;
  /** Number of traces in each indexed file. Default: 0 for one file, which is complete when the server is closed. */
  readonly logFrequency?: number;
}

export interface TraceCollector {
  readonly kind: "collector";
  /** The endpoint for OTLP over HTTP. Default: the exporter's, http://localhost:4318/v1/traces. */
  readonly url?: string;
  /** Attributes of the resource, besides `service.name`, which is triton-inference-server unless it is given. */
  readonly resource?: ReadonlyMap<string, string>;
  /** The maximum number of waiting spans; further ones are dropped. Default 2048. */
  readonly maxQueueSize?: number;
  /** Milliseconds between two exports. Default 5000. */
  readonly scheduleDelay?: number;
  /** The maximum number of spans in an export. Default 512. */
  readonly maxExportBatchSize?: number;
  /** The settings as they were written, for requests that read them. Default none. */
  readonly written?: readonly (readonly [string, string])[];
}

/** Triton's defaults for a collector. */
export const batchDefaults = { maxQueueSize: 2048, scheduleDelay: 5000, maxExportBatchSize: 512 } as const;
