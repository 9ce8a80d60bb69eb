/**
 * For a Node that supports TypeScript: `node --enable-source-maps reference.ts <folder of the project> <theme …>`. Prints a line of JSON for
 * each row of each function of each theme: its answer as JSON, or its error with the author's line.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect, types } from "node:util";
import ts from "typescript";
import { answerTo, type Call, type Case } from "./functions/case.ts";

/** The result of a row. */
export type Outcome = { readonly answer: string } | { readonly error: string };

/** One line of the output. */
export interface ReferenceRow {
  readonly theme: string;
  readonly call: Call;
  readonly outcome: Outcome;
}

/** @param runAt The position of the step's `run`, for errors without a line of the author. */
const outcomeOf = async (cases: readonly Case[], call: Call, runAt: string): Promise<Outcome> => {
  let result: unknown;
  try {
    // Called by the event loop and not by a promise, as in a request.
    const { answer } = await new Promise<{ readonly answer: unknown }>((resolve, reject) => {
      setImmediate(() => {
        try {
          resolve(answerTo(cases, call));
        } catch (error) {
          reject(error);
        }
      });
    });
    result = answer;
  } catch (error) {
    return { error: textOf(error, runAt) };
  }
  const lost = lostIn(result);
  return lost === undefined
    ? { answer: JSON.stringify(result) }
    : { error: `output answer is not JSON: ${lost}${runAt}` };
};

/** The first part of an answer that JSON would lose, as the error of a function on Node describes it. */
const lostIn = (value: unknown, path = ""): string | undefined => {
  const place = path === "" ? "it" : path;
  if (typeof value === "bigint") return `${place} is a bigint; convert it with Number() or String()`;
  if (value instanceof Date && Number.isNaN(value.getTime()))
    return `${place} is an invalid Date; use a valid one or null`;
  if (typeof value !== "object" || value === null || "toJSON" in value) return undefined;
  for (const [key, one] of Object.entries(value)) {
    const lost = lostIn(one, `${path}${Array.isArray(value) ? `[${key}]` : `.${key}`}`);
    if (lost !== undefined) return lost;
  }
  return undefined;
};

/** Errors of a context of `node:vm` have another `Error`. */
const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

const textOf = (error: unknown, runAt: string): string => {
  if (typeof error === "string") return `${JSON.stringify(error)} was thrown${runAt}`;
  if (!isError(error)) return `${inspect(error)} was thrown${runAt}`;
  const { name, message } = error;
  const collected = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  const text = [message === "" ? name : `${name}: ${message}`, ...collected.slice(0, 3).map(String)].join(
    "; ",
  );
  const stack = [error, ...collected].map((one) => (isError(one) ? one.stack : "")).join("\n");
  // A place that a source map gives is a path, others are URLs.
  const start = `${folder}/functions/`;
  const line = stack.split("\n").find((one) => one.startsWith("    at ") && one.includes(start)) ?? "";
  const [, path, row, column] = /functions\/(.*):(\d+):(\d+)\)?$/.exec(line) ?? [];
  return path === undefined ? text : `${text} (functions/${path}:${row}:${column})`;
};

/** The module of a theme. Node cannot erase the syntax of `typescript.ts`, such as enums and decorators, so TypeScript compiles it. */
const moduleOf = (theme: string): string => {
  const path = join(folder, "functions", `${theme}.ts`);
  if (theme !== "typescript") return path;
  const { target, module } = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const { outputText } = ts.transpileModule(readFileSync(path, "utf8"), {
    fileName: path,
    compilerOptions: { target, module, inlineSourceMap: true },
  });
  const compiled = join(folder, "functions", `${theme}.mjs`);
  writeFileSync(compiled, outputText);
  return compiled;
};

const [folder = "", ...themes] = process.argv.slice(2);
const pipeline = readFileSync(join(folder, "pipeline.ts"), "utf8").split("\n");
for (const theme of themes) {
  const runLine = pipeline.findIndex((line) => line.includes(`answerTo(${theme}, call)`)) + 1;
  const runAt = ` (pipeline.ts:${runLine}:3)`;
  const { cases } = (await import(moduleOf(theme))) as {
    readonly cases: readonly Case[];
  };
  for (const { name, rows } of cases)
    for (const row of rows) {
      // Converted to JSON and back, as in a request.
      const call = JSON.parse(JSON.stringify({ name, row })) as Call;
      const line: ReferenceRow = { theme, call: { name, row }, outcome: await outcomeOf(cases, call, runAt) };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
}
