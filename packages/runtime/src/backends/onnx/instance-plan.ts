import type { ModelConfig, ModelInstanceGroup } from "@tritype/triton";
import { asksForTensorrt, type CudaDevice } from "./cuda/gpu-providers.ts";

/** Where one instance of a model should run. */
export type InstanceDevice = { readonly kind: "cpu" } | CudaDevice;

/** What the configuration says: "auto" takes a GPU where there is one. */
export interface PlannedInstance {
  readonly wants: "cpu" | "gpu" | "auto";
  readonly deviceId: number;
  readonly tensorrt: boolean;
}

/**
 * The instances that `instance_group`, as it was written, asks for; passive groups have none. Without a group, or with a count below 1,
 * one: a second instance doubles the memory and brings 3 to 20 % on a CPU (Triton's own default on a CPU is 2). A group without `gpus`
 * has device 0 (Triton's has all).
 */
export const planInstances = (
  config: ModelConfig,
  groups: readonly ModelInstanceGroup[] = config.instance_group ?? [],
): readonly PlannedInstance[] => {
  const tensorrt = asksForTensorrt(config);
  if (groups.length === 0) return [{ wants: "auto", deviceId: 0, tensorrt }];
  return groups.filter((group) => group.passive !== true).flatMap((group) => instancesOf(group, tensorrt));
};

const instancesOf = (
  { kind, count = 1, gpus = [] }: ModelInstanceGroup,
  tensorrt: boolean,
): readonly PlannedInstance[] => {
  const wants = kind === "KIND_CPU" ? "cpu" : kind === "KIND_GPU" ? "gpu" : "auto";
  const devices = wants === "cpu" || gpus.length === 0 ? [0] : gpus;
  return devices.flatMap((deviceId) =>
    Array.from(
      { length: Math.max(1, count) },
      () => ({ wants, deviceId, tensorrt }) satisfies PlannedInstance,
    ),
  );
};
