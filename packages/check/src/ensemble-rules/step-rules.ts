import { modelRule, type Rule } from "../rule.ts";
import { ensembleSteps } from "../model/ensemble-graph.ts";

const incompleteStepRule = modelRule(
  {
    code: "ensemble/incomplete-step",
    triton: ["106"],
    reason: "A step needs at least one input and one output.",
    words: "must specify '{field}' in step {step:n} of ensemble '{model}'",
    message: "step {step} of ensemble `{model}` has no `{field}`",
  },
  (model, report) => {
    for (const [step, { model_name, input_map = {}, output_map = {} }] of (
      ensembleSteps(model.config) ?? []
    ).entries()) {
      const missing = [
        ...(model_name ? [] : ["model_name"]),
        ...(Object.keys(input_map).length > 0 ? [] : ["input_map"]),
        ...(Object.keys(output_map).length > 0 ? [] : ["output_map"]),
      ];
      for (const field of missing)
        report(model.at(["ensemble_scheduling", "step", step], `without \`${field}\``), { step, field });
    }
  },
);

const writtenTwiceRule = modelRule(
  {
    code: "ensemble/written-twice",
    triton: ["107"],
    reason: "A tensor in an ensemble can only have one source.",
    words:
      "ensemble tensor '{tensor}' can appear in an output map only once for ensemble '{model}' step {step:n}",
    message: "tensor `{tensor}` of ensemble `{model}` is written by step {first} and again by step {step}",
    help: "give the second one another name",
  },
  (model, report) => {
    const steps = ensembleSteps(model.config) ?? [];
    const written = new Map<string, readonly [step: number, port: string]>();
    for (const [step, { output_map = {} }] of steps.entries())
      for (const [port, tensor] of Object.entries(output_map)) {
        const first = written.get(tensor);
        if (first === undefined) {
          written.set(tensor, [step, port]);
          continue;
        }
        const at = (i: number, key: string, text: string) =>
          model.at(["ensemble_scheduling", "step", i, "output_map", key], text);
        report([at(step, port, "written again"), at(...first, "first written here")], {
          tensor,
          first: first[0],
          step,
        });
      }
  },
);

export const stepRules: readonly Rule[] = [incompleteStepRule, writtenTwiceRule];
