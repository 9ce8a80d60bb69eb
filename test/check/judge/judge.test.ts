import * as fc from "fast-check";
import { entries, explainMessage } from "@tritype/check";
import type { TritonInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareVerdicts, explain } from "./agreement.ts";
import { backendCombinations } from "./backend-combinations.ts";
import type { CaseFiles } from "./case-files.ts";
import { type Coverage, countRule, coverageTable, repositoriesOf } from "./coverage.ts";
import { checkerRefusals } from "./checker-verdict.ts";
import { type Draft, draftFiles, type Edit, type ModelDraft } from "./draft.ts";
import { extent } from "./extent.ts";
import type { Fault } from "./fault.ts";
import { edited, faultCases, separately, type Side } from "./fault-cases.ts";
import { faults } from "./faults.ts";
import { legalChain, legalEnsemble } from "./legal-ensemble.ts";
import { legalPython, legalSingle } from "./legal-single.ts";
import { loadWithout, neverAnswers } from "./never-answers.ts";
import {
  died,
  judgeAtStart,
  type ServerJudge,
  startJudges,
  stubbedTriton,
  type Verdict,
  type Verdicts,
} from "./server-judge.ts";
import { judgeLocally } from "../runtime/stub-runtime.ts";
import { oddConfigurations, oddRepository } from "./odd-configurations.ts";
import { pageExamples } from "./page-examples.ts";
import { serveTwoRepositories } from "./two-repositories.ts";
import { unexercised } from "./unexercised.ts";
import { corpusFiles, filesOf, keepCase, readCorpus } from "./verdict-corpus.ts";

/** `TRITYPE_CORPUS=write` adds counterexamples, and the first case of every fault, to the corpus. */
const keeping = process.env["TRITYPE_CORPUS"] === "write";
const { long, runs, needed, fewestCases, seed, limit } = extent;
const release = "24.10";

let triton: TritonInstallation;
let strictly: ServerJudge;
let completing: ServerJudge;
const coverage: Coverage = new Map();
const codes = new Set<string>();
let judged = 0;

beforeAll(async () => {
  triton = await stubbedTriton();
  [strictly, completing] = await Promise.all([
    startJudges(triton, { strict: true, servers: 3 }),
    startJudges(triton, { strict: false, servers: 2 }),
  ]);
}, 300_000);

afterAll(async () => {
  await strictly?.close();
  await completing?.close();
});

type How = Partial<Pick<Fault, "completed" | "atStart" | "dies">>;

const judge = async (
  files: CaseFiles,
  { completed = false, atStart = false, dies = false }: How,
): Promise<Verdicts> => {
  judged++;
  if (atStart) return await judgeAtStart(triton, files, { strict: !completed });
  return await (completed ? completing : strictly).judge(files, dies);
};

/** The server's verdict on the model that a fault changed. */
interface Subject {
  readonly name: string;
  readonly files: CaseFiles;
  readonly verdict: Verdict;
}

interface Question {
  readonly about: string;
  readonly how: How;
  readonly seen: (subject: Subject) => void;
}

/** Judges drafts with the server and the checker; throws for the smallest draft on which they differ. */
const check = async (
  drafts: fc.Arbitrary<Draft>,
  much: { readonly numRuns: number; readonly seed?: number },
  question: Question,
): Promise<void> => {
  const { about, how, seen } = question;
  const strict = how.completed !== true;
  let smallest: { readonly files: CaseFiles; readonly verdicts: Verdicts } | undefined;
  const property = fc.asyncProperty(drafts, async (draft) => {
    const files = draftFiles(draft);
    const verdicts = await judge(files, how);
    const comparison = compareVerdicts(files, verdicts, strict);
    for (const code of comparison.codes) codes.add(code);
    if (comparison.disagreements.length === 0) expect(unexplained(verdicts)).toEqual([]);
    if (comparison.disagreements.length > 0) throw new Error(explain(files, comparison));
    const name = draft.at(-1)?.name ?? "";
    seen({ name, files, verdict: verdicts.get(name) ?? { ready: false, reason: "" } });
    if (smallest === undefined || sizeOf(files) < sizeOf(smallest.files)) smallest = { files, verdicts };
  });
  const limits = { seed, ...much, interruptAfterTimeLimit: limit / 2, markInterruptAsFailure: true };
  const { failed, counterexample, errorInstance } = await fc.check(property, limits);
  if (keeping && !failed && smallest !== undefined) {
    keepCase("rules.jsonl", about, smallest.files, smallest.verdicts, { strict, release });
  }
  if (!failed) return;
  const [smallestDraft] = counterexample ?? [];
  if (keeping && smallestDraft !== undefined) {
    const files = draftFiles(smallestDraft);
    keepCase("counterexamples.jsonl", about, files, await judge(files, how), {
      strict,
      release,
    });
  }
  throw errorInstance instanceof Error ? errorInstance : new Error("interrupted");
};

/** Reasons for refusals that `pipeline explain` does not cover. */
const unexplained = (verdicts: Verdicts): readonly string[] =>
  [...verdicts.values()].flatMap(({ ready, reason }) =>
    ready || reason === died || explainMessage(reason) !== undefined ? [] : [reason],
  );

const sizeOf = (files: CaseFiles): number => JSON.stringify(files).length;

const checkEdits = async (fault: Fault, side: Side, seen: Question["seen"]): Promise<void> => {
  const how = side === "refused" ? fault : { ...fault, dies: false };
  const question: Question = { about: `${fault.rule}: ${fault.about}, ${side}`, how, seen };
  for (const { drafts, ...much } of faultCases(fault, side, extent)) await check(drafts, much, question);
};

const isReady = ({ name, verdict }: Subject): void => {
  expect(verdict, name).toEqual({ ready: true, reason: "" });
};

describe.concurrent("the servers and the checker agree", () => {
  test(
    "legal repositories load",
    async () => {
      const drafts = fc.oneof(legalSingle, legalEnsemble, legalChain);
      await check(drafts, { numRuns: runs.legal }, { about: "legal", how: {}, seen: isReady });
    },
    limit,
  );

  test(
    "the failing examples of pages are refused",
    async () => {
      const wrong = await Promise.all(
        pageExamples().map(async ({ code, files, strict }) => {
          const verdicts = await judge(files, { completed: !strict });
          const comparison = compareVerdicts(files, verdicts, strict);
          const refused = [...verdicts.values()].some(({ ready }) => !ready);
          if (!refused || comparison.disagreements.length > 0)
            return [`${code}\n${explain(files, comparison)}`];
          codes.add(code);
          return [];
        }),
      );
      expect(wrong.flat()).toEqual([]);
    },
    limit,
  );

  describe("one fault", () => {
    for (const fault of faults) {
      const { rule, about, says = /$^/ } = fault;
      if (fault.refused !== undefined) {
        test(
          `rule ${rule}: ${about}, refused`,
          async () => {
            await checkEdits(fault, "refused", ({ name, files, verdict }) => {
              expect(verdict.ready, `${name} is refused`).toBe(false);
              if (verdict.reason !== died) expect(verdict.reason).toMatch(says);
              countRule(coverage, rule, "refusals", files);
            });
          },
          limit,
        );
      }
      if (fault.accepted !== undefined) {
        test(
          `rule ${rule}: ${about}, a near miss that is accepted`,
          async () => {
            await checkEdits(fault, "accepted", (subject) => {
              isReady(subject);
              countRule(coverage, rule, "accepted", subject.files);
            });
          },
          limit,
        );
      }
    }
  });

  test(
    "combinations of everything that can specify a backend",
    async () => {
      const question: Question = { about: "backend", how: {}, seen: () => {} };
      await check(backendCombinations, { numRuns: runs.backends }, question);
    },
    limit,
  );

  test.each([1, 2, 3, 4])(
    "repositories with two faults are judged alike (part %i of 4)",
    async (part) => {
      const cheap = faults.filter(({ costly = false, completed = false }) => !costly && !completed);
      const sides = cheap.flatMap(({ refused = [], accepted = [] }) => [
        separately(refused),
        separately(accepted),
      ]);
      const edits = fc.oneof(...sides.filter((side) => side.length > 0).map((side) => fc.oneof(...side)));
      const twice = fc.tuple(edits, edits).map(
        ([first, second]): Edit =>
          (draft) =>
            second(first(draft)),
      );
      const drafts = edited(fc.oneof(legalSingle, legalEnsemble, legalChain), twice).filter(
        (draft) => !neverAnswers(draftFiles(draft)),
      );
      await check(
        drafts,
        { numRuns: runs.twice / 4, seed: seed + part },
        { about: "two faults", how: {}, seen: () => {} },
      );
    },
    limit,
  );

  test(
    "rule 32b: the load of a python model without its file never ends, and the model is not loaded",
    async () => {
      // A few at a time, because each is a waiting process.
      for (let group = 0; group * 3 < needed; group++) {
        const models = fc.sample(legalPython, { numRuns: 6, seed: seed + group }).flat();
        const drafts = models.map((model, i): ModelDraft => {
          const files = i < 3 ? { "1/": "", "1/mode.py": "" } : model.files;
          return { ...model, name: `m${i}`, files };
        });
        const files = draftFiles(drafts);
        const [lacking, whole] = [drafts.slice(0, 3), drafts.slice(3)].map((some) =>
          some.map(({ name }) => name),
        ) as [string[], string[]];
        expect(await loadWithout(triton, files, lacking)).toEqual({ ready: whole, unanswered: lacking });
        const found = checkerRefusals(files, true);
        for (const name of whole) expect(found.get(name)).toEqual([]);
        for (const name of lacking)
          expect(found.get(name)?.map(({ code }) => code)).toEqual(["model-file/missing-python"]);
        for (const draft of drafts) {
          const side = lacking.includes(draft.name) ? "refusals" : "accepted";
          countRule(coverage, "32b", side, draftFiles([draft]));
        }
        judged += lacking.length + whole.length;
      }
      codes.add("model-file/missing-python");
    },
    limit,
  );

  test(
    "rule 22: a model in two repositories is served from neither",
    async () => {
      const models = fc.sample(legalSingle, { numRuns: 3 * needed, seed }).flat();
      const drafts = models.map((model, i): ModelDraft => ({ ...model, name: `m${i}` }));
      const first = drafts.filter((_, i) => i % 3 !== 2);
      const second = drafts.filter((_, i) => i % 3 !== 1);
      const { served, expected } = await serveTwoRepositories(triton, draftFiles(first), draftFiles(second));
      expect(served).toEqual(expected);
      const twice = drafts.filter((_, i) => i % 3 === 0);
      expect(served).toHaveLength(drafts.length - twice.length);
      for (const draft of drafts) {
        const side = served.includes(draft.name) ? "accepted" : "refusals";
        countRule(coverage, "22", side, draftFiles([draft]));
      }
      codes.add("repository/duplicate-model");
      judged += drafts.length;
    },
    limit,
  );

  test("the server, the checker and the local runtime agree on odd configurations", async () => {
    const server = await judge(oddRepository, { completed: true });
    const checked = checkerRefusals(oddRepository, false);
    const local = await judgeLocally(oddRepository);
    const table = [...oddConfigurations].map(([model, { about, ...served }]) => ({
      about,
      served,
      seen: {
        server: server.get(model)?.ready,
        check: checked.get(model)?.length === 0,
        laptop: local.get(model)?.ready,
      },
    }));
    expect(table.map(({ about, seen }) => ({ about, ...seen }))).toEqual(
      table.map(({ about, served }) => ({ about, check: served.server, ...served })),
    );
  });
});

test("every rule has enough cases that break it and enough that nearly do", () => {
  const deaths = strictly.deaths() + completing.deaths();
  console.log(`${judged} cases, ${deaths} deaths of the server\n${coverageTable(coverage)}`);
  const asked = faults.map(({ rule, refused, accepted }) => ({
    rule,
    refusals: refused === undefined ? 0 : needed,
    accepted: accepted === undefined ? 0 : needed,
  }));
  const repositories = ["22", "32b"].map((rule) => ({ rule, refusals: needed, accepted: needed }));
  const wanting = [...asked, ...repositories].flatMap(({ rule, refusals, accepted }) => {
    const had = repositoriesOf(coverage, rule);
    return had.refusals < refusals || had.accepted < accepted ? [{ rule, ...had }] : [];
  });
  expect(wanting).toEqual([]);
  expect(judged).toBeGreaterThanOrEqual(fewestCases);
});

test("every rule that a server can judge was judged", () => {
  const judgeable = entries.filter(
    ({ severity, judged, since = "" }) =>
      severity === "error" && (judged === "live" || judged === "stub") && since <= release,
  );
  const missed = judgeable.map(({ code }) => code).filter((code) => !codes.has(code));
  expect(missed.toSorted()).toEqual([...unexercised.keys()].toSorted());
});

if (long)
  test(
    "the server still gives the verdicts that the corpus records",
    async () => {
      for (const one of corpusFiles().flatMap(readCorpus)) {
        const atStart = one.about.includes("two ensembles in a cycle");
        const verdicts = await judge(filesOf(one), { completed: !one.strict, atStart });
        const verdict = Object.fromEntries(
          [...verdicts].map(([name, { ready }]) => [name, ready ? "ready" : "refused"]),
        );
        expect(verdict, `${one.id} ${one.about}`).toEqual(one.verdict);
      }
    },
    limit,
  );
