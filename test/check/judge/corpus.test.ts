import { expect, test } from "vitest";
import { checkerRefusals } from "./checker-verdict.ts";
import { caseId, corpusFiles, filesOf, readCorpus } from "./verdict-corpus.ts";

const cases = corpusFiles().flatMap(readCorpus);

test("the checker agrees with the recorded verdicts of servers", () => {
  const differing = cases.flatMap((one) => {
    const refusals = checkerRefusals(filesOf(one), one.strict, one.release);
    return Object.entries(one.verdict).flatMap(([name, verdict]) => {
      const found = refusals.get(name) ?? [];
      if ((verdict === "ready") === (found.length === 0)) return [];
      const said = found.map(({ code }) => code).join(", ") || "nothing";
      return [`${one.id} ${one.about}: the server has ${name} ${verdict}, the checker says ${said}`];
    });
  });
  expect(differing).toEqual([]);
});

test("verdicts belong to the files that they name, without duplicates", () => {
  expect(cases.length).toBeGreaterThan(100);
  expect(cases.map(caseId)).toEqual(cases.map(({ id }) => id));
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
});
