import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareFunction } from "../compare-function.ts";
import { randomOf } from "../hostile.ts";
import { type PythonChild, startPython } from "../python-child.ts";
import { type TranslatedFunction, translateModules } from "../translate-functions.ts";
import { productions } from "./productions.ts";
import { type Hits, preamble, randomProgram } from "./random-program.ts";
import { randomRow } from "./random-row.ts";

const long = process.env["TRITYPE_PROGRAMS"] === "long";
const wanted = long ? 5000 : 60;
const perModule = long ? 250 : 75; // TypeScript is restarted for each module
const rowsEach = 20;
const seed = Number(process.env["TRITYPE_SEED"] ?? 20_261_122);
let python: PythonChild;
beforeAll(() => {
  python = startPython();
});
afterAll(async () => {
  await python.close();
});

test(
  `${wanted} random programs with ${rowsEach} rows each behave the same in Node and in Python`,
  async () => {
    const random = randomOf(seed);
    const written: Hits = new Map();
    const held: Hits = new Map();
    const refusals: Hits = new Map();
    const failures: string[] = [];
    const totals = { translated: 0, refused: 0, rows: 0, late: 0, thrown: 0, notPortable: 0 };
    while (totals.translated < wanted && totals.refused < 2 * wanted) {
      const programs = Array.from({ length: perModule }, (_, at) => randomProgram(`f${at}`, random, written));
      const functions = programs.map(({ text }, at) => ({ name: `f${at}`, text }));
      const [translated = []] = translateModules([{ functions, preamble }]);
      for (const [at, it] of translated.entries()) {
        const { refusals: told } = it.translation;
        if (told.length > 0) {
          totals.refused++;
          for (const { what } of told) count(refusals, what);
          continue;
        }
        totals.translated++;
        for (const construct of new Set(programs[at]?.shows)) count(held, construct);
        const { divergences, late, thrown, notPortable } = await compareFunction(
          it,
          Array.from({ length: rowsEach }, () => randomRow(random)),
          python,
        );
        totals.rows += rowsEach;
        totals.late += late;
        totals.thrown += thrown;
        totals.notPortable += notPortable;
        const [first] = divergences;
        if (first !== undefined) failures.push(describeFailure(it, first));
      }
    }
    const report = reportOf(totals, held, refusals, failures);
    const place = process.env["TRITYPE_PROGRAMS_REPORT"];
    if (place !== undefined) writeFileSync(place, report);
    console.log(report.slice(0, 6000));
    expect(failures.slice(0, 3).join("\n\n"), `${failures.length} programs differ`).toBe("");
    expect(totals.translated).toBeGreaterThanOrEqual(wanted);
    expect(totals.late + totals.notPortable).toBeLessThan(totals.rows / 100);
    const least = long ? 50 : 1;
    expect(constructs().filter((name) => (held.get(name) ?? 0) < least)).toEqual([]);
  },
  long ? 3_600_000 : 170_000,
);

const constructs = (): readonly string[] => [
  ...new Set(Object.values(productions).flatMap((all) => all.map(([name]) => name))),
];

const count = (hits: Hits, name: string): void => void hits.set(name, (hits.get(name) ?? 0) + 1);

const describeFailure = (
  { text, translation }: TranslatedFunction,
  {
    row: input,
    node,
    python: got,
  }: { readonly row: unknown; readonly node: unknown; readonly python: unknown },
): string =>
  [
    text,
    translation.translated?.python,
    `row:    ${JSON.stringify(input, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : Object.is(value, -0) ? "-0" : typeof value === "number" && !Number.isFinite(value) ? String(value) : value))}`,
    `node:   ${JSON.stringify(node)}`,
    `python: ${JSON.stringify(got)}`,
  ].join("\n");

const reportOf = (
  totals: Readonly<Record<string, number>>,
  held: Hits,
  refusals: Hits,
  failures: readonly string[],
): string =>
  [
    Object.entries(totals)
      .map(([name, value]) => `${value} ${name}`)
      .join(", ") + `, ${failures.length} differ`,
    `constructs: ${[...held]
      .toSorted((a, b) => a[1] - b[1])
      .map(([name, times]) => `${name} ${times}`)
      .join(" · ")}`,
    `refused: ${[...refusals]
      .toSorted((a, b) => b[1] - a[1])
      .map(([what, times]) => `${times} × ${what}`)
      .join("\n  ")}`,
    ...failures,
  ].join("\n");
