/** A log entry, or a line of any other text. */
export interface LogRecord {
  /** The number of its first line in the text, counted from 1. */
  readonly line: number;
  /** Triton's level; undefined for lines that do not belong to a log. */
  readonly level: "error" | "warning" | "info" | undefined;
  readonly text: string;
}

/** Splits pasted text into records: a line from Triton's log together with the lines that belong to it. */
export const readRecords = (text: string): readonly LogRecord[] => {
  const records: { line: number; level: LogRecord["level"]; lines: string[] }[] = [];
  const lines = text.split(/\r?\n/);
  const tableAlone = lines.every((line) => line.trim() === "" || tableRow.test(line));
  for (const [i, line] of lines.entries()) {
    const start = logLine.exec(line);
    const level = start === null ? undefined : levels[start[1] ?? start[2] ?? ""];
    const last = records.at(-1);
    if (start !== null)
      records.push({ line: i + 1, level, lines: [line.slice(start.index + start[0].length)] });
    else if (line.trim() === "" || (tableRow.test(line) && !tableAlone)) continue;
    else if (last !== undefined && continues.test(line)) last.lines.push(line);
    else records.push({ line: i + 1, level: undefined, lines: [line] });
  }
  return records.map(({ line, level, lines }) => ({ line, level, text: lines.join("\n").trim() }));
};

const levels: Readonly<Record<string, LogRecord["level"]>> = {
  E: "error",
  F: "error",
  W: "warning",
  I: "info",
};

/**
 * `E1121 12:00:00.123456 42 server.cc:1] `, also in the form of `--log-format=ISO8601`, after any prefix that a
 * container adds.
 */
const logLine =
  /(?:^|\s)(?:([EWIF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] ?|\d{4}-\d\d-\d\dT\S+ ([EWIF]) +\d+ [\w.-]+:\d+\] ?)/;
/** Triton's tables of models and options. */
const tableRow = /^\s*(?:\+-[-+]+\+|\|.*\|)\s*$/;
/** Python's traceback below its message. */
const continues = /^(?:\s+\S|At:|During handling|Traceback|The above exception)/;
