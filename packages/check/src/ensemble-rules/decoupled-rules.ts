import type { Rule } from "../rule.ts";
import { stepPath } from "./ensemble-problem.ts";
import { problemRule } from "./problem-rule.ts";

const joinRule = problemRule(
  "decoupled-join",
  {
    code: "ensemble/decoupled-join",
    triton: ["126"],
    reason:
      "A decoupled model sends any number of responses, which cannot be paired with another stream or with the request itself.",
    words:
      "in ensemble {ensemble}, step of model '{model}' receives inputs originated from different decoupled models",
    message:
      "{where} of ensemble `{ensemble}` pairs a decoupled model's responses with tensors from elsewhere",
    help: "pass the other tensors through the decoupled model, so that each of its responses contains them",
  },
  ({ at, named }, model, report) => {
    const path = at === undefined ? ["output"] : stepPath(at.index, "input_map");
    report(model.at(path, "come from different streams"), {
      where: at === undefined ? "the output list" : `step ${at.index}, \`${at.name}\`,`,
      model: named ?? at?.name ?? "",
      notes: named === undefined || named === at?.name ? [] : [`Triton names \`${named}\` in its message`],
    });
  },
);

const cacheRule = problemRule(
  "decoupled-cache",
  {
    code: "ensemble/decoupled-cache",
    triton: ["125", "127"],
    reason: "An ensemble with a decoupled step is itself decoupled, and has no single response to cache.",
    words:
      "Response Cache does not currently support model {ensemble} with 'decoupled' transaction policy. Please disable the response cache.",
    message: "ensemble `{ensemble}` caches responses, but its step `{model}` is decoupled",
    help: "remove `response_cache` from `{ensemble}`",
  },
  ({ at }, model, report) =>
    report([
      model.at(["response_cache"], "cached here"),
      at.member.model.at(["model_transaction_policy"], "decoupled here"),
    ]),
);

export const decoupledRules: readonly Rule[] = [joinRule, cacheRule];
