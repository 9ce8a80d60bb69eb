import type { ModelConfig, ModelInstanceGroup } from "./generated/model-config.ts";

export interface ModelInstance {
  readonly group: ModelInstanceGroup;
  /** Index of its group. */
  readonly index: number;
  /** A GPU, or 0 for an instance on the CPU and for one on any device. */
  readonly device: number;
  /** Its number among the instances of its group on this device. */
  readonly number: number;
}

/**
 * The instances that a server starts: for each group its `count` (at least one) on each of its GPUs; without a group,
 * one. Groups for a CPU and KIND_MODEL groups use no GPUs.
 */
export const instancesOf = ({
  instance_group: groups = [],
}: Pick<ModelConfig, "instance_group">): readonly ModelInstance[] =>
  (groups.length === 0 ? [{}] : groups).flatMap((group: ModelInstanceGroup, index) => {
    const { kind = "KIND_AUTO", count = 1, gpus = [] } = group;
    const onGpus = gpus.length > 0 && (kind === "KIND_GPU" || kind === "KIND_AUTO");
    return (onGpus ? gpus : [0]).flatMap((device) =>
      Array.from({ length: Math.max(1, count) }, (_, number) => ({ group, index, device, number })),
    );
  });

/** The instances that get requests: those of passive groups are only loaded. Measured on 24.10. */
export const activeInstances = (config: Pick<ModelConfig, "instance_group">): readonly ModelInstance[] =>
  instancesOf(config).filter(({ group }) => group.passive !== true);
