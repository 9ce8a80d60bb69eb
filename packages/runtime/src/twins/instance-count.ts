import type { ModelVersion } from "../backend.ts";

/** The instances that a model's configuration asks for; 1 by default. */
export const instanceCount = ({ config }: ModelVersion): number =>
  (config.instance_group ?? []).reduce((sum, { count = 1 }) => sum + count, 0) || 1;
