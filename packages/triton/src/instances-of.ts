import type { ModelConfig } from "./generated/model-config.ts";

/** The number of instances of a model: by default one, and for each group its `count` on each of its GPUs. */
export const instancesOf = ({ instance_group = [] }: Pick<ModelConfig, "instance_group">): number =>
  Math.max(
    1,
    instance_group.reduce(
      (sum, { count = 1, gpus = [] }) => sum + Math.max(1, count) * Math.max(1, gpus.length),
      0,
    ),
  );
