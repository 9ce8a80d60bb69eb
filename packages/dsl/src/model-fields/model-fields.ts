import type { InstanceGroup } from "./instance-group.ts";
import type { MetricControl } from "./metric-control.ts";
import type { Optimization } from "./optimization.ts";
import type { ProfileFields } from "./profile-fields.ts";

/** Which versions of a model are served. Default, as in Triton: only the highest, so older versions cannot be called. */
export type VersionPolicy =
  | {
      /** The highest existing versions are served. */
      readonly latest: {
        /** The number of versions; at least 1. */
        readonly numVersions: number;
      };
    }
  | {
      /** Every existing version is served. */
      readonly all: {};
    }
  | {
      /** Only the listed versions are served. */
      readonly specific: {
        /** The numbers of the versions; at least one. A missing version is only logged, as long as another one exists. */
        readonly versions: readonly number[];
      };
    };

/** A library that modifies a model's files before it is loaded. */
export interface RepositoryAgent {
  /** Name of the agent: Triton looks for `libtritonrepoagent_<name>.so`. It comes with the agent `checksum`. */
  readonly name: string;
  /** The agent's own parameters. Default none. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Fields of Triton's ModelConfig that every model may have, with the proto's names in camelCase, enums without prefixes, and times with a
 * unit. Source: `model_config.proto` of Triton's `common` repository; fields newer than 24.01 name their first release.
 */
export interface ModelFields {
  /** Where copies of the model run, and how many. Default: one instance, on a GPU if there is one. */
  readonly instanceGroup?: readonly InstanceGroup[];
  /** Which versions are served. Default: the highest only. */
  readonly versionPolicy?: VersionPolicy;
  /** How the backend may speed up the model. Default: the backend's own. */
  readonly optimization?: Optimization;
  /** Answers identical requests from the server's cache, if it has one. Default false. */
  readonly responseCache?: {
    /**
     * Enable it only if identical requests always have identical answers. Cannot be combined with `sequenceBatching`, nor used for
     * decoupled models.
     */
    readonly enable: boolean;
  };
  /** The backend's own parameters; written as strings. Default none. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /**
   * Maps a compute capability ("7.5") to a project file for GPUs with that capability, which is copied into the version folder. Default: one file
   * for all GPUs.
   */
  readonly ccModelFilenames?: Readonly<Record<string, string>>;
  /** A decoupled model sends any number of responses to a request. Default false. */
  readonly modelTransactionPolicy?: {
    /** If true, a request gets none, one or many responses, over gRPC streams or `generate_stream` only. */
    readonly decoupled: boolean;
  };
  /** Custom operators for the model's graph. Default none. */
  readonly modelOperations?: {
    /** Shared libraries: files in the project that are copied into the version folder and loaded in this order. */
    readonly opLibraryFilename: readonly string[];
  };
  /** Libraries that modify or check the model's files before it is loaded. Default none. */
  readonly modelRepositoryAgents?: {
    /** The agents, in the order in which they run. */
    readonly agents: readonly RepositoryAgent[];
  };
  /** Labels for each of the model's metrics, in addition to `model` and `version`. Default none. */
  readonly metricTags?: Readonly<Record<string, string>>;
  /** Settings for the model's metrics. Default: from the server's `--metrics-config`. Since 24.11. */
  readonly modelMetrics?: {
    /** One entry for each metric with its own settings. */
    readonly metricControl: readonly MetricControl[];
  };
  /** The backend's library, or `model.py` for a Python-based backend. Default: found by name. */
  readonly runtime?: string;
  /**
   * Maps a profile in `pipeline.config.ts` to the fields that it overrides: `{ cpu: { instanceGroup: [{ kind: "cpu" }] } }`. Each is
   * emitted as `configs/<profile>.pbtxt`. Default: every profile is the same as the configuration without a profile. Since 24.05.
   */
  readonly profiles?: Readonly<Record<string, ProfileFields>>;
  /**
   * A fragment of `config.pbtxt` that is merged into the model's configuration: fields here replace those with the same name, including
   * lists and maps. The fragment is checked like everything else. Default none.
   */
  readonly raw?: string;
}
