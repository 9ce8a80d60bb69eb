import type { Report } from "@tritype/core";
import { repositoryRule, type Rule, type WrittenEntry } from "../rule.ts";
import type { EnsembleProblem, Found, ResolvedEnsemble } from "./ensemble-problem.ts";
import { resolveEnsembles } from "./resolve-ensembles.ts";
import { type Suggest, suggestions } from "./suggestions.ts";

export interface Hints {
  /** Names of all models. */
  readonly names: readonly string[];
  readonly suggest: Suggest;
}

/** A rule that reports one kind of problem between an ensemble and its members. */
export const problemRule = <K extends EnsembleProblem["kind"], const E extends WrittenEntry>(
  kind: K,
  entry: E,
  tell: (problem: Found<K>, ensemble: ResolvedEnsemble, hints: Hints) => Report<E>,
): Rule => ({
  ...repositoryRule(entry, (repository, report) => {
    const hints = { names: [...repository.models.keys()], suggest: suggestions() };
    for (const ensemble of resolveEnsembles(repository).values())
      for (const problem of ensemble.problems)
        if (isOf(problem, kind)) report(tell(problem, ensemble, hints));
  }),
  problem: kind,
});

const isOf = <K extends EnsembleProblem["kind"]>(problem: EnsembleProblem, kind: K): problem is Found<K> =>
  problem.kind === kind;
