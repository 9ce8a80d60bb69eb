import { knowing, repositoryRule, type Rule, type RuleReport, type WrittenEntry } from "../rule.ts";
import type { EnsembleProblem, Found, ResolvedEnsemble } from "./ensemble-problem.ts";
import { resolveEnsembles } from "./resolve-ensembles.ts";
import { type Suggest, suggestions } from "./suggestions.ts";

export interface Hints {
  /** Names of all models. */
  readonly names: readonly string[];
  readonly suggest: Suggest;
}

/**
 * A rule that reports one kind of problem between an ensemble and its members. The rule supplies the value of
 * `{ensemble}`, and of `{model}` if the problem is in a step.
 */
export const problemRule = <K extends EnsembleProblem["kind"], const E extends WrittenEntry>(
  kind: K,
  entry: E,
  tell: (
    problem: Found<K>,
    ensemble: ResolvedEnsemble["model"],
    report: RuleReport<E, "ensemble" | "model">,
    hints: Hints,
  ) => void,
): Rule => ({
  ...repositoryRule(entry, (repository, report) => {
    const hints = { names: [...repository.models.keys()], suggest: suggestions() };
    for (const { model, problems } of resolveEnsembles(repository).values())
      for (const problem of problems) {
        if (!isOf(problem, kind)) continue;
        const known = { ensemble: model.name, model: "at" in problem ? problem.at?.name : undefined };
        tell(problem, model, knowing(report, known), hints);
      }
  }),
  problem: kind,
});

const isOf = <K extends EnsembleProblem["kind"]>(problem: EnsembleProblem, kind: K): problem is Found<K> =>
  problem.kind === kind;
