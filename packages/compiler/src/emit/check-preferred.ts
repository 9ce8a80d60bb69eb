import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { writtenAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";

/** Triton checks this before the backend completes the configuration (rule 68). */
export const checkPreferred = (
  step: StepDefinition,
  config: Partial<ModelConfig>,
  size: number,
): readonly Diagnostic[] =>
  (config.dynamic_batching?.preferred_batch_size ?? [])
    .filter((preferred) => preferred > size)
    .slice(0, 1)
    .map((preferred) =>
      diagnose("batch/preferred-too-large", {
        with: { step: step.name, preferred, size },
        labels: writtenAt(
          step,
          ...(step.kind === "ensemble" ? ["members"] : []),
          "dynamicBatching",
          "preferredBatchSize",
        ),
      }),
    );
