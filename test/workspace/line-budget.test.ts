import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const table = fileURLToPath(new URL("line-budget.json", import.meta.url));

/**
 * The number of non-blank lines of product code and pages, by package or folder. For the rule, see
 * docs/decisions/0031-lines-have-budgets.md.
 */
const linesOf = (): ReadonlyMap<string, number> =>
  new Map([
    ...readdirSync(`${root}packages`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [`packages/${name}`, countIn(`packages/${name}/`, isProduct)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    [
      "docs",
      countIn("docs/", (path) => path.endsWith(".md") && !path.startsWith("docs/decisions/")),
    ] as const,
  ]);

/** Hand-written TypeScript and Python that users run. */
const isProduct = (path: string): boolean =>
  /^packages\/[^/]+\/(?:(?:src|page)\/.*\.tsx?|python\/.*\.py)$/.test(path) &&
  !/\.(?:test|test-d|fixture|cases|arbitrary)\.ts$|\/(?:fixtures|generated)\//.test(path);

const countIn = (folder: string, counts: (path: string) => boolean): number =>
  readdirSync(`${root}${folder}`, { withFileTypes: true }).reduce((sum, entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory())
      return /^(?:node_modules|dist|build|__pycache__)$/.test(entry.name) && !path.includes("/src/")
        ? sum
        : sum + countIn(`${path}/`, counts);
    return counts(path) ? sum + (readFileSync(`${root}${path}`, "utf8").match(/^.*\S/gm)?.length ?? 0) : sum;
  }, 0);

test("no package and no guide is longer than its budget", () => {
  const lines = linesOf();
  const budgets = readBudgets();
  if (process.env["UPDATE"] === "1") writeFileSync(table, lowered(budgets, lines));
  const over = [...lines].flatMap(([name, count]) => {
    const budget = budgets[name] ?? 0;
    return count > budget
      ? [
          `${name} has ${count} lines, its budget is ${budget}: cut ${count - budget}, or write a record in docs/decisions that says how users benefit, and raise the budget in test/workspace/line-budget.json`,
        ]
      : [];
  });
  expect(over).toEqual([]);
  expect(Object.keys(readBudgets())).toEqual([...lines.keys()]);
});

test("no record raises the budget of the translator: docs/decisions/0039-translation-stays-small.md", () => {
  expect(readBudgets()["packages/translator"]).toBeLessThanOrEqual(14_700);
});

test("UPDATE=1 lowers budgets and never raises one", () => {
  const budgets = { "packages/a": 100, "packages/b": 100, "packages/gone": 100 };
  const lines = new Map([
    ["packages/a", 49],
    ["packages/b", 101],
  ]);
  expect(JSON.parse(lowered(budgets, lines))).toEqual({ "packages/a": 50, "packages/b": 100 });
});

const readBudgets = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(table, "utf8")) as Record<string, number>;

/** The budgets, each at most the current number rounded up to the next 50. */
const lowered = (budgets: Readonly<Record<string, number>>, lines: ReadonlyMap<string, number>): string => {
  const rows = [...lines].flatMap(([name, count]) => {
    const budget = budgets[name];
    return budget === undefined ? [] : [[name, Math.min(budget, Math.ceil(count / 50) * 50)]];
  });
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
};
