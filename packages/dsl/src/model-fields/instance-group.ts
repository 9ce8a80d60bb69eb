/** A resource that the rate limiter hands out (`--rate-limit=execution_count`). */
export interface RateLimiterResource {
  readonly name: string;
  /** Shared by all devices. Default false: each device has its own. */
  readonly global?: boolean;
  /** How many an execution takes. */
  readonly count: number;
}

/** Which resources an execution takes, and its weight against other instances. Only looked at with `--rate-limit=execution_count`. */
export interface RateLimiter {
  readonly resources?: readonly RateLimiterResource[];
  /** An instance of priority 2 gets half the executions of one of priority 1. Default 1. */
  readonly priority?: number;
}

/** A device beside the first, such as a deep learning accelerator. */
export interface SecondaryDevice {
  readonly kind: "nvdla";
  readonly deviceId: number;
}

interface InstanceGroupFields {
  /** Instances; on GPUs per device. Default 1. */
  readonly count?: number;
  /** Default: the model's name and a number. */
  readonly name?: string;
  /** Name of a `--host-policy`. Default: by device. */
  readonly hostPolicy?: string;
  /** Loaded, but never given a request. Default false. */
  readonly passive?: boolean;
  readonly rateLimiter?: RateLimiter;
  readonly secondaryDevices?: readonly SecondaryDevice[];
}

/** Where copies of the model run. Triton: `instance_group`. */
export type InstanceGroup =
  | (InstanceGroupFields & {
      /** A GPU where there is one, else the CPU. Default. */
      readonly kind?: "auto";
      /** TensorRT: optimisation profiles, by index. */
      readonly profile?: readonly string[];
      readonly gpus?: '✗ only kind: "gpu" has gpus';
    })
  | (InstanceGroupFields & {
      /** `"model"`: the model decides itself. */
      readonly kind: "cpu" | "model";
      readonly gpus?: '✗ only kind: "gpu" has gpus';
      readonly profile?: never;
    })
  | (InstanceGroupFields & {
      readonly kind: "gpu";
      /** Ids of the devices. Default: every GPU. */
      readonly gpus?: readonly number[];
      /** TensorRT: optimisation profiles, by index. */
      readonly profile?: readonly string[];
    });
