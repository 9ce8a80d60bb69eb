/** A resource that the rate limiter hands out (`--rate-limit=execution_count`). */
export interface RateLimiterResource {
  /** Any name: models that say the same one share the resource. */
  readonly name: string;
  /** Shared by all devices. Default false: each device has its own. */
  readonly global?: boolean;
  /** How many an execution takes; an instance waits until as many are free. */
  readonly count: number;
}

/** Which resources an execution takes, and its weight against other instances. Only looked at with `--rate-limit=execution_count`. */
export interface RateLimiter {
  /** What must be free before an execution starts, and is given back after it. Default: nothing. */
  readonly resources?: readonly RateLimiterResource[];
  /** An instance of priority 2 gets half the executions of one of priority 1. Default 1. */
  readonly priority?: number;
}

/** A device beside the first, such as a deep learning accelerator. */
export interface SecondaryDevice {
  /** NVIDIA's deep learning accelerator, which Jetson boards have: the only kind there is. */
  readonly kind: "nvdla";
  /** Number of the accelerator, from 0. */
  readonly deviceId: number;
}

interface InstanceGroupFields {
  /** How many instances; on GPUs per device. Default 1; a backend may have another for CPUs. */
  readonly count?: number;
  /** Default: the model's name and a number. */
  readonly name?: string;
  /** Name of a `--host-policy`. Default: by device. */
  readonly hostPolicy?: string;
  /** Loaded, but never given a request. Default false. */
  readonly passive?: boolean;
  /** When executions may start. Default: at once. Without `--rate-limit=execution_count` Triton ignores it. */
  readonly rateLimiter?: RateLimiter;
  /** Devices beside the group's own, for backends that can use them. Default none. */
  readonly secondaryDevices?: readonly SecondaryDevice[];
}

/** Where copies of the model run. Triton: `instance_group`. */
export type InstanceGroup =
  | (InstanceGroupFields & {
      /** A GPU where there is one, else the CPU. Default. */
      readonly kind?: "auto";
      /** TensorRT: the engine's optimisation profiles that instances use, by index, `["0", "1"]`. Default: the first. */
      readonly profile?: readonly string[];
      /** Not here: ids of devices belong to `kind: "gpu"`. */
      readonly gpus?: '✗ only kind: "gpu" may have gpus';
    })
  | (InstanceGroupFields & {
      /** `"cpu"`: on the CPU, also where there is a GPU. `"model"`: the model or its backend decides. */
      readonly kind: "cpu" | "model";
      /** Not here: ids of devices belong to `kind: "gpu"`. */
      readonly gpus?: '✗ only kind: "gpu" may have gpus';
      /** Not here: profiles are TensorRT's, which runs on GPUs. */
      readonly profile?: never;
    })
  | (InstanceGroupFields & {
      /** On GPUs; without one the model does not load. */
      readonly kind: "gpu";
      /** Ids of the devices; each gets `count` instances. Default: every GPU. */
      readonly gpus?: readonly number[];
      /** TensorRT: the engine's optimisation profiles that instances use, by index, `["0", "1"]`. Default: the first. */
      readonly profile?: readonly string[];
    });
