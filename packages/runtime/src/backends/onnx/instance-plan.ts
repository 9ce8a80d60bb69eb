import { activeInstances, type ModelConfig, type ModelInstanceGroup } from "@tritype/triton";
import { asksForTensorrt, type CudaDevice } from "./cuda/gpu-providers.ts";

/** The device on which one instance of a model should run. */
export type InstanceDevice = { readonly kind: "cpu" } | CudaDevice;

/** The kind in the configuration: "auto" uses a GPU if there is one. */
export interface PlannedInstance {
  readonly wants: "cpu" | "gpu" | "auto";
  readonly deviceId: number;
  readonly tensorrt: boolean;
}

/**
 * The instances for `instance_group` as written in the file. Without a group, or with a count below 1, there is one
 * instance, because a second one doubles the memory and gains 3 to 20 % on a CPU (Triton's own default on a CPU is 2).
 * A group without `gpus` uses device 0 (in Triton: all devices).
 */
export const planSessions = (
  config: ModelConfig,
  groups: readonly ModelInstanceGroup[] = config.instance_group ?? [],
): readonly PlannedInstance[] => {
  const tensorrt = asksForTensorrt(config);
  return activeInstances({ instance_group: groups }).map(({ group: { kind }, device: deviceId }) => ({
    wants: kind === "KIND_CPU" ? "cpu" : kind === "KIND_GPU" ? "gpu" : "auto",
    deviceId,
    tensorrt,
  }));
};
