import type { ModelConfig } from "@tritype/triton";
import { modelRule, type Rule } from "../rule.ts";
import { ensembleSteps } from "../model/ensemble-graph.ts";

const platformRule = modelRule(
  {
    code: "ensemble/platform",
    triton: ["101"],
    reason:
      "Triton only schedules steps for models with the platform `ensemble`, and an ensemble has no backend.",
    words: "ensemble scheduling cannot be set for model '{model}' whose platform is not ensemble",
    message: "`{model}` has `ensemble_scheduling`, but its backend is `{backend}`",
    help: 'write `platform: "ensemble"` and remove `backend`',
  },
  (model, report) => {
    const { platform, backend, ensemble_scheduling: scheduling } = model.config;
    // If there is no backend either, another rule reports the missing platform.
    if (scheduling === undefined || platform === "ensemble" || !backend) return;
    const place = model.written.backend === undefined ? ["ensemble_scheduling"] : ["backend"];
    report(model.at(place, "not for an ensemble"), { backend });
  },
);

const schedulingRule = modelRule(
  {
    code: "ensemble/no-scheduling",
    triton: ["101"],
    reason: "An ensemble consists only of its steps.",
    words: "ensemble scheduling must be set for ensemble {model} whose platform is ensemble",
    message: "`{model}` has the platform `ensemble`, but no `ensemble_scheduling`",
    help: "list its steps in `ensemble_scheduling`",
  },
  (model, report) => {
    if (model.config.platform !== "ensemble" || model.config.ensemble_scheduling !== undefined) return;
    report(model.at(["platform"], "an ensemble without steps"));
  },
);

/** Fields that an ensemble must not have, with Triton's rule. */
const foreignFields = [
  ["instance_group", "102"],
  ["optimization", "103"],
  ["model_warmup", "104"],
] as const satisfies readonly (readonly [field: keyof ModelConfig, triton: string])[];

const foreignFieldRule = modelRule(
  {
    code: "ensemble/foreign-field",
    triton: foreignFields.map(([, triton]) => triton),
    reason:
      "An ensemble runs nothing itself: instances, optimization and warmup belong to the models of its steps.",
    words: {
      instance_group: "instance group should not be specified for ensemble '{model}'",
      optimization: "optimization should not be specified for ensemble '{model}'",
      model_warmup: "model_warmup can not be specified for ensemble '{model}'",
    },
    message: "ensemble `{model}` must not have `{field}`",
    help: "move `{field}` to the models of its steps",
  },
  (model, report) => {
    if (ensembleSteps(model.config) === undefined) return;
    for (const [field] of foreignFields)
      if (model.written[field] !== undefined)
        report(model.at([field], "belongs to the models of the steps"), { field, words: field });
  },
);

const noStepRule = modelRule(
  {
    code: "ensemble/no-step",
    triton: ["105"],
    reason: "An ensemble without steps cannot respond to requests.",
    words: "must specify 'step' for ensemble '{model}'",
    message: "ensemble `{model}` has no `step`",
  },
  (model, report) => {
    if (ensembleSteps(model.config)?.length === 0)
      report(model.at(["ensemble_scheduling"], "no step in here"));
  },
);

export const schedulingRules: readonly Rule[] = [platformRule, schedulingRule, foreignFieldRule, noStepRule];
