import type { ModelInstanceGroup } from "@tritype/triton";

/** Where one instance of a model should run. */
export type InstanceDevice = { readonly kind: "cpu" } | { readonly kind: "cuda"; readonly deviceId: number };

/** What the configuration says: "auto" takes a GPU where there is one. */
export interface PlannedInstance {
  readonly wants: "cpu" | "gpu" | "auto";
  readonly deviceId: number;
}

/**
 * The instances that `instance_group` asks for; passive groups have none. Without a group, or with a count below 1, one: a second
 * instance doubles the memory and brings 3 to 20 % on a CPU (Triton's own default on a CPU is 2).
 */
export const planInstances = (groups: readonly ModelInstanceGroup[]): readonly PlannedInstance[] => {
  if (groups.length === 0) return [{ wants: "auto", deviceId: 0 }];
  return groups.filter((group) => group.passive !== true).flatMap(instancesOf);
};

const instancesOf = ({ kind, count = 1, gpus = [] }: ModelInstanceGroup): readonly PlannedInstance[] => {
  const wants = kind === "KIND_CPU" ? "cpu" : kind === "KIND_GPU" ? "gpu" : "auto";
  const devices = wants === "cpu" || gpus.length === 0 ? [0] : gpus;
  return devices.flatMap((deviceId) =>
    Array.from({ length: Math.max(1, count) }, () => ({ wants, deviceId }) satisfies PlannedInstance),
  );
};
