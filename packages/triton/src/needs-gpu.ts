import type { ModelConfig } from "./generated/model-config.ts";

/** Whether a server without a GPU refuses to load the model. */
export const needsGpu = ({ instance_group, backend }: ModelConfig): boolean =>
  backend === "tensorrt" || instance_group?.some(({ kind }) => kind === "KIND_GPU") === true;
