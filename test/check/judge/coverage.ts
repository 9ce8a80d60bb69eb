/** Per rule number: how many refusals for its reason, and how many accepted near misses. */
export interface RuleCoverage {
  refusals: number;
  accepted: number;
}

export type Coverage = Map<string, RuleCoverage>;

export const countRule = (coverage: Coverage, rule: string, side: keyof RuleCoverage): void => {
  const counts = coverage.get(rule) ?? { refusals: 0, accepted: 0 };
  counts[side]++;
  coverage.set(rule, counts);
};

/** A table for a person, in the rules' order. */
export const coverageTable = (coverage: Coverage): string =>
  [
    "rule  refused  accepted",
    ...[...coverage]
      .toSorted(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1))
      .map(
        ([rule, { refusals, accepted }]) =>
          `${rule.padEnd(4)}${String(refusals).padStart(9)}${String(accepted).padStart(10)}`,
      ),
  ].join("\n");
