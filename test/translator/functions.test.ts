import { selectSupport, supportNames } from "@tritype/translator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everydayTopics } from "./cases/everyday.ts";
import { languageTopics } from "./cases/language.ts";
import { looseTopics } from "./cases/loose.ts";
import { numberTopics } from "./cases/numbers.ts";
import { realisticTopics } from "./cases/realistic.ts";
import { refusedModule } from "./cases/refusals.ts";
import { rowTopics } from "./cases/rows.ts";
import { statementTopics } from "./cases/statements.ts";
import { structureTopics } from "./cases/structures.ts";
import { textTopics } from "./cases/texts.ts";
import { compareFunction, pythonProgram } from "./compare-function.ts";
import { type Random, randomOf } from "./hostile.ts";
import { newerThanPython310 } from "./python-library.ts";
import { type PythonChild, startPython } from "./python-child.ts";
import { productionExamples } from "./random/production-examples.ts";
import { seenRows } from "./seen-rows.ts";
import { functionsOf, type Topic } from "./topic.ts";
import { translateModules } from "./translate-functions.ts";

/** `TRITYPE_PROGRAMS=long` runs three times as many. */
const rowsEach = process.env["TRITYPE_PROGRAMS"] === "long" ? 60 : 20;
const topics = [
  ...numberTopics,
  ...textTopics,
  ...structureTopics,
  ...statementTopics,
  ...languageTopics,
  ...looseTopics,
  ...realisticTopics,
  ...rowTopics,
  ...everydayTopics,
];
let python: PythonChild;
beforeAll(() => {
  python = startPython();
});
afterAll(async () => {
  await python.close();
});

const rowOf = ({ inputs }: Topic, random: Random): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(inputs).map(([name, { make }]) => [name, make(random)]));

const seen = seenRows();
const modules = translateModules([
  ...topics.map((topic) => ({ functions: functionsOf(topic, "f"), preamble: topic.preamble })),
  refusedModule,
  productionExamples,
]);

describe.each(topics.map((topic, number) => ({ ...topic, number })))("$about", ({ number, ...topic }) => {
  const functions = modules[number] ?? [];
  test.each(topic.cases.map((code, at) => ({ code, at })))("$code", async ({ at }) => {
    const it = functions[at];
    if (it === undefined) throw new Error("no such case");
    expect(it.translation.refusals.map(({ what, instead }) => `${what} → ${instead}`)).toEqual([]);
    const random = randomOf(at + 1);
    const rows = Array.from({ length: rowsEach }, () => rowOf(topic, random));
    const { divergences, notPortable } = await compareFunction(it, rows, python);
    expect(
      divergences.slice(0, 3),
      `${divergences.length} of ${rows.length} differ:\n${it.translation.translated?.python}`,
    ).toEqual([]);
    // With few rows, the proportion may be high by chance.
    expect(notPortable).toBeLessThan(Math.max(rowsEach / 4, 10));
  });
});

test("there are at least 300 cases", () => {
  expect(topics.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(300);
});

test("each row of the translator's tables is covered by a case or by a random program", () => {
  expect([...seen].flatMap(([name, times]) => (times === 0 ? [name] : []))).toEqual([]);
  expect(seen.size).toBeGreaterThan(200);
});

test("all emitted Python is valid in Python 3.10", () => {
  const programs = modules.flatMap((functions) =>
    functions.flatMap(({ translation: { translated } }) =>
      translated === undefined ? [] : [pythonProgram(translated)],
    ),
  );
  const everything = selectSupport([...supportNames].filter((name) => name !== "Undefined"));
  const all = { ...everything, support: everything.text, python: "" };
  expect(newerThanPython310([...programs, pythonProgram(all)])).toEqual([]);
  expect(programs.length).toBeGreaterThan(600);
});
