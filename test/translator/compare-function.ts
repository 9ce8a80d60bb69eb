import { agree, type Exact, exact, exactThrown, type Outcome } from "./exact-values.ts";
import type { PythonChild } from "./python-child.ts";
import { eachWithinTime } from "./time-limit.ts";
import type { TranslatedFunction } from "./translate-functions.ts";

/** A row for which Node and Python disagree. */
export interface Divergence {
  readonly row: unknown;
  readonly node: Outcome;
  readonly python: Outcome;
}

/** The outcomes of one function's rows. */
export interface Comparison {
  readonly divergences: readonly Divergence[];
  /** Rows that took too long in either language, for which nothing is guaranteed. */
  readonly late: number;
  /** Rows for which Python throws NotPortable instead of returning a value that might differ. */
  readonly notPortable: number;
  /** Rows that threw in both languages. */
  readonly thrown: number;
}

/** Runs a function in Node and in Python over the same rows. */
export const compareFunction = async (
  { translation, original, javascript, text }: TranslatedFunction,
  rows: readonly Readonly<Record<string, unknown>>[],
  python: PythonChild,
  milliseconds = 1000,
): Promise<Comparison> => {
  const { translated } = translation;
  if (translated === undefined || javascript === undefined) throw new Error(`not translated:\n${text}`);
  const source = pythonProgram(translated);
  const calls = rows.map((row) => [exact(row)]);
  const answers = await python.run({ source, function: translated.entry, calls, limit: milliseconds / 1000 });
  const divergences: Divergence[] = [];
  let [late, thrown, notPortable] = [0, 0, 0];
  const [originals, strippeds] = [original, javascript].map((run) => outcomesOf(run, rows, milliseconds));
  rows.forEach((row, at) => {
    const answer = answers[at] ?? null;
    const [node, stripped] = [originals?.[at], strippeds?.[at]];
    if (node === undefined || stripped === undefined || isKind(answer, "late")) late++;
    else if (isNotPortable(answer)) notPortable++;
    else if (!same(node, stripped)) divergences.push({ row, node, python: ["javascript", stripped] });
    else if (isEngineError(node, answer)) thrown++;
    else if (!agree(node, answer)) divergences.push({ row, node, python: answer });
    else if (isKind(node, "throw")) thrown++;
  });
  return { divergences, late, thrown, notPortable };
};

/** The Python of a translation as one text. */
export const pythonProgram = ({
  imports,
  support,
  python,
}: {
  readonly imports: readonly string[];
  readonly support: string;
  readonly python: string;
}): string => [...imports.map((name) => `import ${name}\n`), support, "\n\n", python].join("");

/** The outcome of each row; undefined for rows that take too long. */
const outcomesOf = (
  run: (row: unknown) => unknown,
  rows: readonly Readonly<Record<string, unknown>>[],
  milliseconds: number,
): readonly (Outcome | undefined)[] =>
  eachWithinTime(
    rows.map((row) => () => {
      try {
        return exact(run(structuredClone(row)));
      } catch (error) {
        return exactThrown(error);
      }
    }),
    milliseconds,
  ).map((made) => made?.value);

const isKind = (outcome: Outcome, kind: string): boolean => Array.isArray(outcome) && outcome[0] === kind;
/** Whether both outcomes are the TypeError that JavaScript engines throw, whose text differs in Python. */
const isEngineError = (node: Outcome, python: Outcome): boolean =>
  Array.isArray(node) &&
  Array.isArray(python) &&
  node[0] === "throw" &&
  node[1] === "TypeError" &&
  ((isKind(python, "crash") &&
    /^(?:Attribute|Type)Error: .*\b(?:NoneType|Undefined)\b/.test(String(python[1]))) ||
    (python[1] === "TypeError" && Array.isArray(python[2]) && isKind(python[2], "engine")));
const isNotPortable = (outcome: Outcome): boolean =>
  Array.isArray(outcome) && outcome[0] === "throw" && outcome[1] === "NotPortable";
const same = (a: Exact, b: Exact): boolean => JSON.stringify(a) === JSON.stringify(b);
