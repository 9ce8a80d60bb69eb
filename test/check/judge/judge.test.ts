import * as fc from "fast-check";
import { entries } from "@tritype/check";
import type { TritonInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareVerdicts, explain } from "./agreement.ts";
import { type Coverage, countRule, coverageTable } from "./coverage.ts";
import { type Draft, draftFiles, type Edit } from "./draft.ts";
import type { Fault } from "./fault.ts";
import { faults } from "./faults.ts";
import { legalChain, legalEnsemble } from "./legal-ensemble.ts";
import { legalSingle } from "./legal-single.ts";
import { died, judgeAtStart, type ServerJudge, startJudge, stubbedTriton, type Verdict, type Verdicts } from "./server-judge.ts";
import { unexercised } from "./unexercised.ts";

const long = process.env["TRITYPE_JUDGE"] === "long";
const runs = long ? { cheap: 80, costly: 20, legal: 1000, twice: 4500 } : { cheap: 8, costly: 3, legal: 100, twice: 450 };
const needed = long ? 20 : 3;
const seed = 20_261_121;
const limit = long ? 3_600_000 : 120_000;

let triton: TritonInstallation;
let strict: ServerJudge;
let completing: ServerJudge;
const coverage: Coverage = new Map();
const codes = new Set<string>();
let judged = 0;

beforeAll(async () => {
  triton = await stubbedTriton();
  strict = await startJudge(triton, { strict: true });
  completing = await startJudge(triton, { strict: false });
}, 300_000);

afterAll(async () => {
  await strict?.close();
  await completing?.close();
});

interface Subject {
  readonly name: string;
  readonly verdict: Verdict;
}

/** Judges a draft by both and throws where they differ. */
const agree = async (draft: Draft, { completed = false, atStart = false }: Partial<Fault> = {}): Promise<Subject> => {
  const files = draftFiles(draft);
  judged++;
  const judge = async (): Promise<Verdicts> => {
    if (atStart) return await judgeAtStart(triton, files, { strict: !completed });
    return await (completed ? completing : strict).judge(files);
  };
  const verdicts = await judge();
  const comparison = compareVerdicts(files, verdicts, !completed);
  for (const code of comparison.codes) codes.add(code);
  if (comparison.disagreements.length > 0) throw new Error(explain(files, comparison));
  const name = draft.at(-1)?.name ?? "";
  return { name, verdict: verdicts.get(name) ?? { ready: false, reason: "" } };
};

const check = async (
  drafts: fc.Arbitrary<Draft>,
  numRuns: number,
  fault?: Fault,
  seen: (subject: Subject) => void = () => {},
): Promise<void> => {
  const property = fc.asyncProperty(drafts, async (draft) => seen(await agree(draft, fault)));
  const { failed, errorInstance, counterexample, numShrinks } = await fc.check(property, { numRuns, seed, interruptAfterTimeLimit: limit / 2 });
  if (failed) throw new Error(`${String((errorInstance as Error | undefined)?.message)}\n(shrunk ${numShrinks} times: ${counterexample === null})`);
};

const edited = (on: fc.Arbitrary<Draft>, edits: fc.Arbitrary<Edit>): fc.Arbitrary<Draft> =>
  fc.tuple(on, edits).map(([draft, edit]) => edit(draft));

test("legal repositories", async () => {
  await check(fc.oneof(legalSingle, legalEnsemble, legalChain), runs.legal, undefined, ({ name, verdict }) => {
    expect(verdict, name).toEqual({ ready: true, reason: "" });
  });
}, limit);

describe("one fault", () => {
  for (const fault of faults) {
    const { rule, about, on, refused, accepted, says = /$^/, costly = false } = fault;
    const count = costly ? runs.costly : runs.cheap;
    if (refused !== undefined) {
      test(`rule ${rule}: ${about}, refused`, async () => {
        await check(edited(on, refused), count, fault, ({ name, verdict }) => {
          expect(verdict.ready, `${name} is refused`).toBe(false);
          if (verdict.reason !== died) expect(verdict.reason).toMatch(says);
          countRule(coverage, rule, "refusals");
        });
      }, limit);
    }
    if (accepted !== undefined) {
      test(`rule ${rule}: ${about}, a near miss`, async () => {
        await check(edited(on, accepted), count, fault, ({ name, verdict }) => {
          expect(verdict, name).toEqual({ ready: true, reason: "" });
          countRule(coverage, rule, "accepted");
        });
      }, limit);
    }
  }
});

test("two faults at once", async () => {
  const cheap = faults.filter(({ costly = false, completed = false }) => !costly && !completed);
  const edits = fc.oneof(...cheap.flatMap(({ refused, accepted }) => [refused, accepted].filter((edit) => edit !== undefined)));
  const twice = fc.tuple(edits, edits).map(([first, second]): Edit => (draft) => second(first(draft)));
  await check(edited(fc.oneof(legalSingle, legalEnsemble, legalChain), twice), runs.twice);
}, limit);

test("every rule was broken and nearly broken often enough", () => {
  console.log(`${judged} cases, ${strict.deaths() + completing.deaths()} deaths of the server\n${coverageTable(coverage)}`);
  const wanting = faults.flatMap(({ rule, refused, accepted }) => {
    const { refusals = 0, accepted: near = 0 } = coverage.get(rule) ?? {};
    return (refused !== undefined && refusals < needed) || (accepted !== undefined && near < needed) ? [`${rule}: ${refusals} refusals, ${near} near misses`] : [];
  });
  expect([...new Set(wanting)]).toEqual([]);
});

test("every rule that a server can judge was judged", () => {
  const live = entries.filter((entry) => entry.severity === "error" && (entry.judged === "live" || entry.judged === "stub") && (entry.since === undefined || entry.since <= "24.10"));
  const missed = live.map(({ code }) => code).filter((code) => !codes.has(code));
  expect(missed.toSorted()).toEqual([...unexercised.keys()].toSorted());
});
