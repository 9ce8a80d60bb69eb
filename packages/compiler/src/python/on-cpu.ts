import type { ModelConfig } from "@tritype/triton";
import type { StepModel } from "../step-kind.ts";

/** A model on Triton's python backend, with one instance on the CPU. */
export const onCpu = (batching: Pick<ModelConfig, "dynamic_batching"> = {}): StepModel["config"] => ({
  backend: "python",
  instance_group: [{ kind: "KIND_CPU", count: 1 }],
  ...batching,
});
