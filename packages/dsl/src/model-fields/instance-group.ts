/** A resource of the rate limiter (`--rate-limit=execution_count`). */
export interface RateLimiterResource {
  /** Any name: models that use the same name share the resource. */
  readonly name: string;
  /** Whether all devices share the resource. Default false: each device has its own. */
  readonly global?: boolean;
  /** The amount that an execution needs; an instance waits until that much is free. */
  readonly count: number;
}

/**
 * The resources that an execution needs, and its weight relative to other instances. Only used with
 * `--rate-limit=execution_count`.
 */
export interface RateLimiter {
  /** Resources that must be free before an execution starts, and are released after it. Default: none. */
  readonly resources?: readonly RateLimiterResource[];
  /** An instance with priority 2 gets half as many executions as one with priority 1. Default 1. */
  readonly priority?: number;
}

/** An additional device, such as a deep learning accelerator. */
export interface SecondaryDevice {
  /** The only kind: NVIDIA's deep learning accelerator on Jetson boards. */
  readonly kind: "nvdla";
  /** Number of the accelerator, from 0. */
  readonly deviceId: number;
}

interface InstanceGroupFields {
  /** Number of instances; on GPUs, per device. Default 1; a backend may have a different default for CPUs. */
  readonly count?: number;
  /** Default: the model's name and a number. */
  readonly name?: string;
  /** Name of a `--host-policy`. Default: by device. */
  readonly hostPolicy?: string;
  /** The instance is loaded but gets no requests. Default false. */
  readonly passive?: boolean;
  /** Limits on when executions may start. Default: immediately. Triton ignores this without `--rate-limit=execution_count`. */
  readonly rateLimiter?: RateLimiter;
  /** Devices in addition to the group's own, for backends that can use them. Default none. */
  readonly secondaryDevices?: readonly SecondaryDevice[];
}

/** Where copies of the model run. Triton: `instance_group`. */
export type InstanceGroup =
  | (InstanceGroupFields & {
      /** On a GPU if there is one, otherwise on the CPU. This is the default. */
      readonly kind?: "auto";
      /** TensorRT: the indices of the engine's optimization profiles that instances use, `["0", "1"]`. Default: the first. */
      readonly profile?: readonly string[];
      /** Not available: device ids belong to `kind: "gpu"`. */
      readonly gpus?: '✗ only kind: "gpu" may have gpus';
    })
  | (InstanceGroupFields & {
      /** `"cpu"`: on the CPU, even if there is a GPU. `"model"`: the model or its backend decides. */
      readonly kind: "cpu" | "model";
      /** Not available: device ids belong to `kind: "gpu"`. */
      readonly gpus?: '✗ only kind: "gpu" may have gpus';
      /** Not available: only TensorRT, which runs on GPUs, has profiles. */
      readonly profile?: never;
    })
  | (InstanceGroupFields & {
      /** On GPUs; on a machine without a GPU, the model does not load. */
      readonly kind: "gpu";
      /** Ids of the devices; each gets `count` instances. Default: every GPU. */
      readonly gpus?: readonly number[];
      /** TensorRT: the indices of the engine's optimization profiles that instances use, `["0", "1"]`. Default: the first. */
      readonly profile?: readonly string[];
    });
