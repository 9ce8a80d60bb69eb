export interface TensorMetadata {
  readonly name: string;
  readonly datatype: string;
  /** The dims including the batch dim, which is a leading -1 if the model is batched. */
  readonly shape: readonly number[];
}
export interface ModelMetadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly platform: string;
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
}
export interface ServerMetadata {
  readonly name: string;
  readonly version: string;
  readonly extensions: readonly string[];
}
/** One line of the index of a server's repository. Models that were never loaded have only a name. */
export interface RepositoryEntry {
  readonly name: string;
  readonly version?: string | undefined;
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
}
/** Count and total duration. */
export interface StatisticDuration {
  readonly count: number;
  readonly ns: number;
}
/** A server's statistics for one version of a model since it was loaded, with Triton's names. */
export interface ModelStatistics {
  readonly name: string;
  readonly version: string;
  /** Number of rows in requests. */
  readonly inference_count: number;
  /** Number of times the model ran. */
  readonly execution_count: number;
  /** Servers other than Triton might not report cache hits and misses. */
  readonly inference_stats: Readonly<
    Record<
      "success" | "fail" | "queue" | "compute_input" | "compute_infer" | "compute_output",
      StatisticDuration
    > &
      Partial<Record<"cache_hit" | "cache_miss", StatisticDuration | undefined>>
  >;
  readonly batch_stats: readonly { readonly batch_size: number; readonly compute_infer: StatisticDuration }[];
}
