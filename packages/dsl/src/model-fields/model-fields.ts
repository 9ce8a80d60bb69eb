import type { InstanceGroup } from "./instance-group.ts";
import type { Optimization } from "./optimization.ts";

/** Which versions of a model are served. Default, as in Triton: the highest only, so older ones cannot be called. */
export type VersionPolicy =
  | { readonly latest: { readonly numVersions: number } }
  | { readonly all: {} }
  | { readonly specific: { readonly versions: readonly number[] } };

/** A library that changes a model's files before it is loaded. */
export interface RepositoryAgent {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Buckets of a latency histogram, in milliseconds. */
export interface MetricControl {
  readonly metricIdentifier: { readonly family: string };
  readonly histogramOptions: { readonly buckets: readonly number[] };
}

/**
 * Fields of Triton's ModelConfig that every model may have: the proto's names in camelCase, enums without prefix, times with a unit.
 * Source: `model_config.proto` of Triton's `common` repository; fields newer than 24.01 say since when.
 */
export interface ModelFields {
  /** Default: one instance, on a GPU where there is one. */
  readonly instanceGroup?: readonly InstanceGroup[];
  readonly versionPolicy?: VersionPolicy;
  readonly optimization?: Optimization;
  /** Answers equal requests from the server's cache, where it has one. Default false. */
  readonly responseCache?: { readonly enable: boolean };
  /** The backend's own parameters; written as strings. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Compute capability ("7.5") → file of the project for such GPUs; copied into the version folder. */
  readonly ccModelFilenames?: Readonly<Record<string, string>>;
  /** A decoupled model sends any number of responses to a request. Default false. */
  readonly modelTransactionPolicy?: { readonly decoupled: boolean };
  /** Custom operator libraries: files of the project, copied into the version folder. */
  readonly modelOperations?: { readonly opLibraryFilename: readonly string[] };
  readonly modelRepositoryAgents?: { readonly agents: readonly RepositoryAgent[] };
  /** Labels of the model's metrics. */
  readonly metricTags?: Readonly<Record<string, string>>;
  /** Since 24.11. */
  readonly modelMetrics?: { readonly metricControl: readonly MetricControl[] };
  /** Library of the backend, or `model.py` of a Python-based one. Default: found by name. */
  readonly runtime?: string;
  /**
   * A fragment of `config.pbtxt` that is merged into the model's configuration: fields here replace those of the same name, lists
   * and maps too. Checked like the rest.
   */
  readonly raw?: string;
}
