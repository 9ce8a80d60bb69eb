import { createHash } from "node:crypto";

/** One side of a rule: how many cases were judged, and of which repositories, by the hash of their files. */
export interface SideCoverage {
  cases: number;
  readonly repositories: Set<string>;
}

/** Per rule number: refusals for its reason, and accepted near misses. */
export interface RuleCoverage {
  readonly refusals: SideCoverage;
  readonly accepted: SideCoverage;
}

export type Coverage = Map<string, RuleCoverage>;

/** Counts one case. */
export const countRule = (
  coverage: Coverage,
  rule: string,
  side: keyof RuleCoverage,
  repository: object,
): void => {
  const counts = coverage.get(rule) ?? { refusals: nothing(), accepted: nothing() };
  counts[side].cases++;
  counts[side].repositories.add(repositoryId(repository));
  coverage.set(rule, counts);
};

/** Hash of a repository's files and of everything else that distinguishes it from other cases. */
export const repositoryId = (repository: object): string =>
  createHash("sha256").update(JSON.stringify(repository)).digest("base64");

/** The number of repositories for a rule on each side. */
export const repositoriesOf = (
  coverage: Coverage,
  rule: string,
): { readonly refusals: number; readonly accepted: number } => {
  const { refusals, accepted } = coverage.get(rule) ?? { refusals: nothing(), accepted: nothing() };
  return { refusals: refusals.repositories.size, accepted: accepted.repositories.size };
};

/** A human-readable table, in the rules' order: the number of cases and of distinct repositories. */
export const coverageTable = (coverage: Coverage): string =>
  [
    "rule  refused  distinct  accepted  distinct",
    ...[...coverage]
      .toSorted(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1))
      .map(([rule, { refusals, accepted }]) =>
        [
          rule.padEnd(4),
          ...[refusals, accepted].flatMap(({ cases, repositories }, side) => [
            String(cases).padStart(side === 0 ? 9 : 10),
            String(repositories.size).padStart(10),
          ]),
        ].join(""),
      ),
  ].join("\n");

const nothing = (): SideCoverage => ({ cases: 0, repositories: new Set() });
