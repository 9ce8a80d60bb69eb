import { repositoryRule, type Rule } from "../rule.ts";
import { configOf, mapOf } from "./check-members.ts";
import { stepPath } from "./ensemble-problem.ts";
import { resolveEnsembles } from "./resolve-ensembles.ts";

export const optionalInputRule: Rule = repositoryRule(
  {
    code: "ensemble/optional-input",
    triton: ["129"],
    judged: "ours",
    reason: "A request without the input fails in the step that needs it: `expected 1 inputs but got 0`.",
    message:
      "input `{tensor}` of ensemble `{ensemble}` is optional, but input `{input}` of its step `{model}` is not",
    help: "make `{input}` of `{model}` optional too, or `{tensor}` required",
  },
  (repository, report) => {
    for (const { model, steps } of resolveEnsembles(repository).values()) {
      const optional = (model.config.input ?? []).filter((input) => input.optional === true);
      for (const { name: tensor = "" } of optional)
        for (const at of steps)
          for (const [i, { name: input = "", optional: free }] of (configOf(at.member).input ?? []).entries())
            if (free !== true && mapOf(at, "input")[input] === tensor)
              report(
                [
                  model.at(
                    [
                      "input",
                      (model.config.input ?? []).findIndex(({ name }) => name === tensor),
                      "optional",
                    ],
                    "optional",
                  ),
                  model.at(stepPath(at.index, "input_map", input), "needed here"),
                  at.member.model.at(["input", i], "required"),
                ],
                { tensor, ensemble: model.name, input, model: at.name },
              );
    }
  },
);
