import type { Report } from "@tritype/core";
import { repositoryRule, type Rule, type RuleEntry } from "../rule.ts";
import type { EnsembleProblem, Found, ResolvedEnsemble } from "./ensemble-problem.ts";
import { resolveEnsembles } from "./resolve-ensembles.ts";

/** A rule that reports one kind of what is wrong between an ensemble and its members. */
export const problemRule = <K extends EnsembleProblem["kind"], const E extends RuleEntry>(
  kind: K,
  entry: E,
  tell: (problem: Found<K>, ensemble: ResolvedEnsemble, names: readonly string[]) => Report<E>,
): Rule =>
  repositoryRule(entry, (repository, report) => {
    const names = [...repository.models.keys()];
    for (const ensemble of resolveEnsembles(repository).values())
      for (const problem of ensemble.problems)
        if (isOf(problem, kind)) report(tell(problem, ensemble, names));
  });

const isOf = <K extends EnsembleProblem["kind"]>(problem: EnsembleProblem, kind: K): problem is Found<K> =>
  problem.kind === kind;
