/** A time with its unit. */
export type Duration = `${number}us` | `${number}ms` | `${number}s`;

/** Where copies of the model run. Triton: `instance_group`. */
export type InstanceGroup =
  | {
      readonly kind?: "auto";
      readonly count?: number;
      readonly name?: string;
      readonly hostPolicy?: string;
      readonly profile?: readonly string[];
      readonly passive?: boolean;
      readonly rateLimiter?: RateLimiter;
      readonly gpus?: '✗ only kind: "gpu" has gpus';
    }
  | {
      readonly kind: "cpu" | "model";
      readonly count?: number;
      readonly name?: string;
      readonly hostPolicy?: string;
      readonly passive?: boolean;
      readonly rateLimiter?: RateLimiter;
      readonly gpus?: '✗ only kind: "gpu" has gpus';
      readonly profile?: never;
    }
  | {
      readonly kind: "gpu";
      readonly count?: number;
      readonly gpus?: readonly number[];
      readonly name?: string;
      readonly hostPolicy?: string;
      readonly profile?: readonly string[];
      readonly passive?: boolean;
      readonly rateLimiter?: RateLimiter;
    };
export interface RateLimiter {
  readonly resources?: readonly {
    readonly name: string;
    readonly global?: boolean;
    readonly count: number;
  }[];
  readonly priority?: number;
}
export interface QueuePolicy {
  readonly timeoutAction?: "reject" | "delay";
  readonly defaultTimeout?: Duration;
  readonly allowTimeoutOverride?: boolean;
  readonly maxQueueSize?: number;
}
/** Merging of requests into batches. Triton: `dynamic_batching`. */
export interface DynamicBatching {
  readonly preferredBatchSize?: readonly number[];
  /** How long a request may wait for others. Triton: `max_queue_delay_microseconds`. Default: not at all. */
  readonly maxQueueDelay?: Duration;
  readonly preserveOrdering?: boolean;
  readonly priorityLevels?: number;
  readonly defaultPriorityLevel?: number;
  readonly defaultQueuePolicy?: QueuePolicy;
  readonly priorityQueuePolicy?: Readonly<Record<number, QueuePolicy>>;
}
export type VersionPolicy =
  | { readonly latest: { readonly numVersions: number } }
  | { readonly all: {} }
  | { readonly specific: { readonly versions: readonly number[] } };
export interface Accelerator {
  readonly name: string;
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
}
export interface Optimization {
  readonly executionAccelerators?: {
    readonly gpuExecutionAccelerator?: readonly Accelerator[];
    readonly cpuExecutionAccelerator?: readonly Accelerator[];
  };
  readonly priority?: "max" | "min" | "default";
  readonly graph?: { readonly level: number };
  readonly cuda?: { readonly graphs?: boolean; readonly busyWaitEvents?: boolean };
  readonly inputPinnedMemory?: { readonly enable: boolean };
  readonly outputPinnedMemory?: { readonly enable: boolean };
  readonly gatherKernelBufferThreshold?: number;
  readonly eagerBatching?: boolean;
}
/** Fields of Triton's ModelConfig that every model may have: the proto's names in camelCase, enums without prefix, times with a unit. */
export interface ModelFields {
  readonly instanceGroup?: readonly InstanceGroup[];
  readonly versionPolicy?: VersionPolicy;
  readonly optimization?: Optimization;
  readonly responseCache?: { readonly enable: boolean };
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  readonly ccModelFilenames?: Readonly<Record<string, string>>;
  readonly modelTransactionPolicy?: { readonly decoupled: boolean };
  readonly modelOperations?: { readonly opLibraryFilename: readonly string[] };
  readonly modelRepositoryAgents?: {
    readonly agents: readonly {
      readonly name: string;
      readonly parameters?: Readonly<Record<string, string>>;
    }[];
  };
}
