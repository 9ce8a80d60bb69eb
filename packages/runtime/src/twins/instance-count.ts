import type { ModelVersion } from "../backend.ts";

/** The number of instances in a model's configuration; 1 by default. */
export const instanceCount = ({ config }: ModelVersion): number =>
  (config.instance_group ?? []).reduce((sum, { count = 1 }) => sum + count, 0) || 1;
