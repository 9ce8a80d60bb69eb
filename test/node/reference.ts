/**
 * Run by a Node that runs TypeScript by itself: `node reference.ts <folder of the project> <theme …>`. Prints a line of JSON for each
 * row of each function of each theme: its answer as JSON, or its error with the author's line.
 */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { answerTo, type Case } from "./functions/case.ts";

/** The outcome of one row. */
export type Outcome = { readonly answer: string } | { readonly error: string };

const [folder = "", ...themes] = process.argv.slice(2);

const outcomeOf = async (cases: readonly Case[], name: string, row: unknown): Promise<Outcome> => {
  try {
    const { answer } = await answerTo(cases, { name, row });
    return { answer: JSON.stringify(answer) };
  } catch (error) {
    return { error: textOf(error) };
  }
};

const textOf = (error: unknown): string => {
  if (typeof error === "string") return `${JSON.stringify(error)} was thrown`;
  if (!(error instanceof Error)) return `${String(error)} was thrown`;
  const { name, message, stack = "" } = error;
  const text = message === "" ? name : `${name}: ${message}`;
  const start = pathToFileURL(`${folder}/functions/`).href;
  const line = stack.split("\n").find((one) => one.startsWith("    at ") && one.includes(start)) ?? "";
  const place = /(file:.*):(\d+):(\d+)\)?$/.exec(line);
  if (place === null) return text;
  const path = fileURLToPath(place[1] ?? "").slice(folder.length + 1);
  return `${text} (${path}:${place[2]}:${place[3]})`;
};

for (const theme of themes) {
  const { cases } = (await import(join(folder, "functions", `${theme}.ts`))) as {
    readonly cases: readonly Case[];
  };
  const lines: string[] = [];
  for (const { name, rows } of cases)
    for (const row of rows) {
      // What a request holds: the row as JSON.
      const sent = JSON.parse(JSON.stringify(row)) as unknown;
      lines.push(JSON.stringify({ theme, name, row, outcome: await outcomeOf(cases, name, sent) }));
    }
  process.stdout.write(`${lines.join("\n")}\n`);
}
process.exitCode = 0;
