import type { Diagnostic, StepDefinition } from "@tritype/core";
import { type ModelConfig, newerFields, type TritonRelease } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";

/** To an older release, an unknown field is a parse error. */
export const checkRelease = (
  step: StepDefinition,
  config: ModelConfig,
  release: TritonRelease,
): readonly Diagnostic[] =>
  newerFields(config, release.container).map(({ field, since }) =>
    diagnose("model/field-too-new", {
      with: { step: step.name, field, since, target: release.container },
      labels: definedAt(step),
    }),
  );
