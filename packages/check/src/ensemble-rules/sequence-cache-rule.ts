import { ensembleSteps } from "../model/ensemble-graph.ts";
import type { CheckedModel, ModelContext, RepositoryContext } from "../model-context.ts";
import { repositoryRule, type Rule } from "../rule.ts";

export const sequenceCacheRule: Rule = repositoryRule(
  {
    code: "ensemble/sequence-cache",
    severity: "error",
    reason:
      "The ensemble loads, but its cache ignores sequences. A request with the same inputs as an earlier one, in any sequence, gets the earlier response, and the model's state does not change.",
    message: "ensemble `{ensemble}` caches responses, but `{model}` in it has sequences",
    help: "remove `response_cache` from `{ensemble}`, or cache a member that has no sequences",
  },
  (repository, report) => {
    for (const { model } of repository.models.values()) {
      if (model.config.response_cache?.enable !== true || ensembleSteps(model.config) === undefined) continue;
      const member = withSequences(repository, model);
      if (member === undefined) continue;
      report(
        [
          model.at(["response_cache", "enable"], "cached here"),
          member.at(["sequence_batching"], "has sequences"),
        ],
        { ensemble: model.name, model: member.name },
      );
    }
  },
);

/** The first model with sequences in an ensemble or in the ensembles that it calls. */
const withSequences = ({ models }: RepositoryContext, ensemble: ModelContext): ModelContext | undefined => {
  // Also ends the search in a cycle of ensembles.
  const seen = new Set<string>();
  const queue = [ensemble];
  for (let model = queue.shift(); model !== undefined; model = queue.shift())
    for (const { model_name: name = "" } of ensembleSteps(model.config) ?? []) {
      const checked = models.get(name);
      if (checked === undefined || seen.has(name)) continue;
      seen.add(name);
      if (hasSequences(checked)) return checked.model;
      queue.push(checked.model);
    }
  return undefined;
};

const hasSequences = ({ assumed, model }: CheckedModel): boolean =>
  (assumed ?? model.config).sequence_batching !== undefined;
