import { afterAll, beforeAll, expect, test } from "vitest";
import { compareFunction } from "../compare-function.ts";
import { hostileNumber, hostileText, listOf, pick, type Random, randomOf, upTo } from "../hostile.ts";
import { type PythonChild, startPython } from "../python-child.ts";
import { translateModules } from "../translate-functions.ts";
import { looseConstructs, looseModule } from "./loose-program.ts";

const long = process.env["TRITYPE_PROGRAMS"] === "long";
const wanted = long ? 5000 : 60;
const perModule = long ? 250 : 66;
const rowsEach = 12;
const seed = Number(process.env["TRITYPE_SEED"] ?? 20_261_123);
let python: PythonChild;
beforeAll(() => {
  python = startPython();
});
afterAll(async () => {
  await python.close();
});

test(
  `${wanted} random programs with ${rowsEach} rows each, with loose records, hostile names, stored functions and errors, behave the same in Node and in Python`,
  async () => {
    const random = randomOf(seed);
    const held = new Map<string, number>();
    const refused = new Map<string, number>();
    const failures: string[] = [];
    const totals = { translated: 0, refused: 0, rows: 0, late: 0, thrown: 0, notPortable: 0 };
    while (totals.translated < wanted && totals.refused < wanted) {
      const written = looseModule(perModule, random);
      const [translated = []] = translateModules([written]);
      for (const [at, it] of translated.entries()) {
        if (totals.translated === wanted) break;
        if (it.translation.translated === undefined) {
          totals.refused++;
          for (const { what } of it.translation.refusals) refused.set(what, (refused.get(what) ?? 0) + 1);
          continue;
        }
        totals.translated++;
        for (const name of new Set(written.functions[at]?.shows)) held.set(name, (held.get(name) ?? 0) + 1);
        const rows = Array.from({ length: rowsEach }, () => rowOf(random));
        const { divergences, late, thrown, notPortable } = await compareFunction(it, rows, python);
        totals.rows += rowsEach;
        totals.late += late;
        totals.thrown += thrown;
        totals.notPortable += notPortable;
        const [first] = divergences;
        if (first !== undefined)
          failures.push([it.text, it.translation.translated.python, JSON.stringify(first, shown)].join("\n"));
      }
    }
    const report = Object.entries(totals).map(([name, value]) => `${value} ${name}`);
    console.log(`${report.join(", ")}, ${failures.length} differ`, [...held], [...refused]);
    expect(failures.slice(0, 3).join("\n\n"), `${failures.length} programs differ`).toBe("");
    expect(totals.refused + totals.late + totals.notPortable).toBeLessThan(totals.rows / 50);
    expect(looseConstructs.filter((name) => (held.get(name) ?? 0) < (long ? 200 : 1))).toEqual([]);
  },
  long ? 3_600_000 : 170_000,
);

const shown = (_: string, value: unknown): unknown =>
  typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)) ? `${value}` : value;

const maybe = <T>(random: Random, name: string, make: () => T): Readonly<Record<string, T>> =>
  random() < 0.5 ? {} : { [name]: make() };

const docOf = (random: Random): unknown => ({
  a: hostileNumber(random),
  ...maybe(random, "b", () => hostileText(random)),
  ...maybe(random, "c", () => (random() < 0.4 ? null : hostileNumber(random))),
  d: random() < 0.3 ? null : hostileText(random),
  ...maybe(random, "e", () =>
    random() < 0.3
      ? null
      : { x: hostileNumber(random), ...maybe(random, "y", () => listOf(random, hostileNumber, 3)) },
  ),
});

const eventOf = (random: Random): unknown =>
  pick(random, [
    { kind: "start", at: hostileNumber(random) },
    { kind: "stop", at: upTo(random, 9) },
    { kind: "stop", why: hostileText(random), at: 1 },
    { kind: "text", text: random() < 0.5 ? null : hostileText(random) },
  ]);

const rowOf = (random: Random): Readonly<Record<string, unknown>> => ({
  n: pick(random, [0, 1, 2, 3, -1, 101, hostileNumber(random)]),
  m: upTo(random, 9),
  s: pick(random, ["", "f", "12", "[1, 2]", "NFC", hostileText(random)]),
  t: hostileText(random),
  yes: random() < 0.5,
  ns: listOf(random, hostileNumber, 4),
  ss: listOf(random, hostileText, 3),
  docs: listOf(random, docOf, 3),
  events: listOf(random, eventOf, 3),
});
