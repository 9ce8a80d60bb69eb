import { entries } from "@tritype/check";
import { afterAll, expect, test } from "vitest";
import { type Coverage, countRule, coverageTable, repositoriesOf } from "../judge/coverage.ts";
import { backendRules, recordedModel } from "./backend-rules.ts";
import { checkVerdict } from "./check-verdict.ts";
import { readVerdicts, type Verdict } from "./verdict.ts";

const needed = 20;
const coverage: Coverage = new Map();
const rulesOf = new Map(entries.map(({ code, triton }) => [code, triton]));

/** The numbers of the rules that the checker's refusals are based on. */
const brokenRules = (verdict: Verdict): readonly string[] =>
  checkVerdict(verdict)
    .diagnostics.filter(({ severity }) => severity === "error")
    .flatMap(({ code }) => rulesOf.get(code) ?? []);

/** Everything that distinguishes one verdict from another. */
const asked = ({ onnx, config, files, autoComplete }: Verdict) => ({ onnx, config, files, autoComplete });

test("models that a backend's rule refuses are refused here under the same rule number", () => {
  const wrong: string[] = [];
  for (const verdict of readVerdicts()) {
    const model = recordedModel(verdict);
    for (const { rule, refused, accepted } of backendRules) {
      if (verdict.ready && accepted(model)) countRule(coverage, rule, "accepted", asked(verdict));
      if (verdict.ready || refused?.test(verdict.reason) !== true) continue;
      countRule(coverage, rule, "refusals", asked(verdict));
      if (!brokenRules(verdict).includes(rule)) wrong.push(`${verdict.id}, rule ${rule}: ${verdict.reason}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each(backendRules)("rule $rule is recorded often enough: $about", ({ rule, few = {} }) => {
  const had = repositoriesOf(coverage, rule);
  for (const side of ["refusals", "accepted"] as const)
    if (few[side] === undefined) expect(had[side], side).toBeGreaterThanOrEqual(needed);
    else expect(had[side], few[side]).toBeLessThan(needed);
});

afterAll(() => {
  process.stdout.write(`${coverageTable(coverage)}\n`);
});
