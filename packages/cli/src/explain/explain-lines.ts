import {
  type Explanation,
  explainMessage,
  type LogRecord,
  type FixPlace,
  nearestMessages,
  readRecords,
} from "@tritype/check";
import { errorMessages, readErrorPages } from "./error-pages.ts";
import { printable, type ReadSource, renderLabels } from "@tritype/project/diagnostics";
import type { Colors } from "picocolors/types.js";
import { type MessageFacts, messageFacts, type NearRepository } from "./repository-facts.ts";
import { wrap } from "./render-page.ts";

/** One message in the input and its meaning. */
export interface ExplainedRecord {
  /** The lines of the input that contain the message, from 1. */
  readonly lines: readonly number[];
  readonly text: string;
  readonly explanation: Explanation;
  readonly facts: MessageFacts;
}

/** The known and unknown messages in the input. */
export interface ExplainedText {
  readonly explained: readonly ExplainedRecord[];
  readonly unknown: readonly {
    readonly line: number;
    readonly text: string;
    readonly nearest: readonly string[];
  }[];
}

/** Explains a line, a message of several lines, or a whole log. */
export const explainText = (text: string, repository: NearRepository | undefined): ExplainedText => {
  const errors = errorMessages(readErrorPages());
  const records = readRecords(text);
  const isLog = records.some(({ level }) => level !== undefined);
  const whole = isLog || records.length < 2 ? undefined : explainMessage(text, errors);
  if (whole !== undefined && !records.some(({ text: one }) => explainMessage(one, errors) !== undefined))
    return { explained: [withFacts([1], text.trim(), whole, repository)], unknown: [] };
  const explained = new Map<string, ExplainedRecord>();
  const unknown: LogRecord[] = [];
  for (const record of records) {
    if (isLog && record.level === "info" && !/fail|error|unable/i.test(record.text)) continue;
    const explanation = explainMessage(record.text, errors);
    if (explanation === undefined) {
      if (record.level === "error" || (!isLog && record.level === undefined)) unknown.push(record);
      continue;
    }
    const key = JSON.stringify([explanation.means, explanation.help]);
    const before = explained.get(key);
    const found = withFacts([record.line], record.text, explanation, repository);
    explained.set(key, before === undefined ? found : merged(before, found));
  }
  const several = records.length > 1 && explained.size > 0 && !isLog;
  return {
    explained: [...explained.values()].toSorted(
      (a, b) => Number(a.explanation.harmless) - Number(b.explanation.harmless),
    ),
    unknown: several
      ? []
      : unknown.map(({ line, text: one }) => ({ line, text: one, nearest: nearestMessages(one) })),
  };
};

/** A log repeats many messages; the occurrence that names the model is the most useful. */
const merged = (before: ExplainedRecord, after: ExplainedRecord): ExplainedRecord => ({
  ...("model" in before.explanation.names ? before : after),
  lines: [...before.lines, ...after.lines],
});

const withFacts = (
  lines: readonly number[],
  text: string,
  explanation: Explanation,
  repository: NearRepository | undefined,
): ExplainedRecord => ({
  lines,
  text,
  explanation,
  facts: repository === undefined ? { labels: [], notes: [] } : messageFacts(explanation.names, repository),
});

/** For display: the meaning, the position in the user's pipeline, the reason, the help text, and who has to act. */
export const renderExplained = (
  { lines, text, explanation, facts }: ExplainedRecord,
  {
    numbered,
    colors,
    readSource,
  }: { readonly numbered: boolean; readonly colors: Colors; readonly readSource: ReadSource },
): string => {
  const item = (title: string, value: string, paint = (word: string) => word): readonly string[] =>
    wrap(printable(value), `  = ${title}: `, " ".repeat(title.length + 6)).map((line, i) =>
      i === 0 ? line.replace(`= ${title}`, () => `${colors.dim("=")} ${paint(title)}`) : line,
    );
  const first = text.split("\n")[0] ?? "";
  return [
    colors.bold(printable(explanation.means)),
    ...(numbered ? [colors.dim(`  ${linesOf(lines)}: ${shorten(printable(first))}`)] : []),
    ...renderLabels(facts.labels, readSource, colors),
    ...explanation.where.flatMap((where) => item("where", where)),
    ...facts.notes.flatMap((note) => item("note", note)),
    ...(explanation.why === undefined ? [] : item("why", explanation.why)),
    ...item("help", explanation.help, colors.green),
    ...item("fix", fixPlaces[explanation.fixIn]),
    ...(explanation.codes.length === 0
      ? []
      : item(
          "see",
          explanation.codes
            .slice(0, 3)
            .map((code) => `pipeline explain ${code}`)
            .join(", "),
        )),
  ].join("\n");
};

/** The message for an unknown line. */
export const renderUnknown = ({ text, nearest }: ExplainedText["unknown"][number], colors: Colors): string =>
  [
    `${colors.yellow(colors.bold("unknown"))}: ${shorten(printable(text.split("\n")[0] ?? ""))}`,
    ...(nearest.length === 0
      ? ["  = note: it does not resemble any known message of Triton, its backends or its clients"]
      : ["  = note: the nearest known message:", ...nearest.map((one) => `      ${withoutKinds(one)}`)]),
    "  = help: read the preceding lines in the server's log (`--log-verbose=1` shows more), and run `pipeline check` on the repository",
  ].join("\n");

const fixPlaces: Readonly<Record<FixPlace, string>> = {
  model: "config.pbtxt of the model, and the files that it names",
  ensemble: "the ensemble: its steps, or the tensors between them",
  "model-file": "the model's file",
  "model-code": "the model's code",
  function: "the step's function",
  client: "the client that sends the request",
  server: "how the server is started, or its load",
  machine: "the server's machine or image",
};

const linesOf = (lines: readonly number[]): string =>
  lines.length === 1
    ? `line ${lines[0]}`
    : `lines ${lines.slice(0, 4).join(", ")}${lines.length > 4 ? ", …" : ""}`;
const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 99)}…` : text);
const withoutKinds = (says: string): string => says.replaceAll(/\{(\w+):\w+\}/g, "{$1}");
