import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { diagnose } from "../diagnostics.ts";
import { labelsAt, type PlaceOf } from "./field-places.ts";

/** Triton checks this before the backend completes the configuration (rule 68). */
export const checkPreferred = (
  step: StepDefinition,
  config: Partial<ModelConfig>,
  size: number,
  placeOf: PlaceOf,
): readonly Diagnostic[] =>
  (config.dynamic_batching?.preferred_batch_size ?? [])
    .filter((preferred) => preferred > size)
    .slice(0, 1)
    .map((preferred) =>
      diagnose("batch/preferred-too-large", {
        with: { step: step.name, preferred, size },
        labels: labelsAt(step, placeOf(["dynamic_batching", "preferred_batch_size"])),
      }),
    );
