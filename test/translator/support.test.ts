import { afterAll, beforeAll, expect, test } from "vitest";
import { supportTable } from "../../packages/translator/src/support/support-table.ts";
import { selectSupport } from "@tritype/translator";
import { agree, exact, exactThrown, type Exact, type Outcome } from "./exact-values.ts";
import { randomOf, type Random } from "./hostile.ts";
import { type PythonChild, startPython } from "./python-child.ts";
import { arraysSupportCases } from "./support-cases/arrays.ts";
import { numbersSupportCases } from "./support-cases/numbers.ts";
import { textsSupportCases } from "./support-cases/texts.ts";
import { valuesSupportCases } from "./support-cases/values.ts";

const allCases = [...valuesSupportCases, ...textsSupportCases, ...numbersSupportCases, ...arraysSupportCases];

let python: PythonChild;
beforeAll(() => {
  python = startPython();
});
afterAll(async () => {
  await python.close();
});

test.each(allCases.map((it, seed) => ({ ...it, seed })))(
  "$piece ($seed) does what JavaScript does",
  async ({
    piece,
    python: call = piece,
    with: others = [],
    javascript,
    arguments: make,
    seed,
    calls: usual = 1000,
  }) => {
    const random = randomOf(seed + 1);
    const many = process.env["TRITYPE_PROGRAMS"] === "long" ? 1000 : Math.min(usual, 250);
    const calls = Array.from({ length: make.length === 0 ? 1 : many }, (_, at) => make(random, at));
    const sent = calls.map((values) => values.map((value) => asSent(exact(value), random)));
    const expected = calls.map((values) =>
      outcomeOf(javascript as (...values: unknown[]) => unknown, values),
    );
    const { imports, text } = selectSupport([piece, "Thrown", "undefined", ...others]);
    const source = [...imports.map((name) => `import ${name}\n`), text].join("");
    const got = await python.run({ source, function: call, calls: sent });
    const different = expected.flatMap((javascript, at) =>
      agree(javascript, got[at] ?? null) ? [] : [{ sent: sent[at], javascript, python: got[at] }],
    );
    expect(different.slice(0, 5), `${different.length} of ${calls.length} differ`).toEqual([]);
  },
);

test("a piece lists exactly the names in its text as dependencies", async () => {
  const pieces = Object.entries(supportTable);
  const texts = pieces.map(([, { text }]) => (typeof text === "string" ? text : text()));
  const free = await python.run({
    source: freeNames,
    function: "free",
    calls: texts.map((text) => [exact(text)]),
  });
  const wanted = pieces.map(([name, { needs = [], imports = [] }]) => ({
    name,
    needs: [...needs, ...imports.map((name) => name.split(".")[0] ?? "")].toSorted(byText),
  }));
  expect(pieces.map(([name], at) => ({ name, needs: (free[at] as string[]).slice(1) }))).toEqual(wanted);
});

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Python that finds the global names in a text that are neither defined there nor built in. */
const freeNames = `
import builtins, symtable
def free(text):
    top = symtable.symtable(text, "piece", "exec")
    names, tables = set(), [top]
    for table in tables:
        tables += table.get_children()
        names |= {s.get_name() for s in table.get_symbols() if (s.is_global() or table is top) and s.is_referenced()}
    return sorted(names - set(dir(builtins)) - {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_namespace()})
`;

test("every piece is compared with Node", () => {
  expect(
    Object.keys(supportTable).filter(
      (name) => !isHeldElsewhere(name) && !allCases.some(({ piece }) => piece === name),
    ),
  ).toEqual([]);
});

/**
 * Whether a piece is covered elsewhere: tables and settings by the functions that use them, JSON by json.test.ts, errors by the
 * functions that catch them.
 */
const isHeldElsewhere = (name: string): boolean =>
  name.startsWith("NEWER_") ||
  [
    "ANY_DIGITS",
    "unknown_to_python",
    "parse_as",
    "misfit",
    "describe_shape",
    "json_step",
    "COMPACT",
  ].includes(name) ||
  ["NotPortable", "EngineError", "MISSING", "is_missing", "caught", "present"].includes(name);

/** Passes a number that may be an int in Python as an int half of the time, because both forms must work. */
const asSent = (value: Exact, random: Random): Exact => {
  if (!Array.isArray(value)) return value;
  const [kind, ...items] = value as [string, ...Exact[]];
  if (kind === "n" && Number.isSafeInteger(Number(items[0])) && items[0] !== "-0" && random() < 0.5)
    return ["i", String(items[0])];
  return kind === "n" || kind === "b" || kind === "s"
    ? value
    : [kind, ...items.map((item) => asSent(item, random))];
};

const outcomeOf = (call: (...values: unknown[]) => unknown, values: readonly unknown[]): Outcome => {
  try {
    return exact(call(...values));
  } catch (error) {
    return exactThrown(error);
  }
};
