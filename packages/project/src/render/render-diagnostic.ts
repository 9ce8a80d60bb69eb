import type { Diagnostic, Label } from "@tritype/core";
import pc from "picocolors";
import type { Colors } from "picocolors/types.js";
import { lineOf, markedLength } from "./marked-text.ts";
import { printable, printableLine } from "./printable.ts";

/** The text of a source file; undefined if it cannot be read. */
export type ReadSource = (file: string) => string | undefined;

/**
 * A diagnostic for the terminal: code and sentence, a frame for each label, notes, and help.
 * @param colors Default: none.
 */
export const renderDiagnostic = (
  diagnostic: Diagnostic,
  readSource: ReadSource,
  colors: Colors = pc.createColors(false),
): string => {
  const paint = diagnostic.severity === "error" ? colors.red : colors.yellow;
  const bar = " ".repeat(gutterOf(diagnostic.labels));
  return [
    `${paint(colors.bold(`${diagnostic.severity}[${diagnostic.code}]`))}${colors.bold(`: ${printable(diagnostic.message)}`)}`,
    ...renderLabels(diagnostic.labels, readSource, colors, paint),
    ...diagnostic.notes.map((note) => `${bar} ${colors.dim("=")} note: ${printable(note)}`),
    ...(diagnostic.help === undefined
      ? []
      : [`${bar} ${colors.dim("=")} ${colors.green("help")}: ${printable(diagnostic.help)}`]),
  ].join("\n");
};

/** The positions of the labels with the source lines, the main position first. */
export const renderLabels = (
  labels: readonly Label[],
  readSource: ReadSource,
  colors: Colors,
  paint: (text: string) => string = colors.cyan,
): readonly string[] => {
  const gutter = gutterOf(labels);
  return labels.flatMap((label, index) =>
    frame(label, readSource, gutter, index === 0 ? paint : colors.cyan, index === 0, colors),
  );
};

const gutterOf = (labels: readonly Label[]): number =>
  Math.max(1, ...labels.map(({ span }) => String(span.line).length));

const frame = (
  { span, text }: Label,
  readSource: ReadSource,
  gutter: number,
  paint: (text: string) => string,
  primary: boolean,
  colors: Colors,
): readonly string[] => {
  const source = lineOf(span.file, readSource(span.file), span.line);
  const place = `${" ".repeat(gutter)}${colors.dim(primary ? "┌─" : "├─")} ${printableLine(span.file)}:${span.line}:${span.column}`;
  if (source === undefined) return [place];
  const length = markedLength(span.file, source, span.column);
  const { line, column } = window(source, span.column);
  const indent = line.slice(0, column - 1).replaceAll(/[^\t]/g, " ");
  const mark = (primary ? "^" : "-").repeat(Math.min(length, Math.max(1, line.length - column + 1)));
  return [
    place,
    `${colors.dim(`${String(span.line).padStart(gutter)}│`)} ${printable(line)}`,
    `${" ".repeat(gutter)}${colors.dim("│")} ${indent}${paint(`${mark} ${printable(text)}`.trimEnd())}`,
  ];
};

const widest = 160;

/** A line and a column in it; for lines too long for a terminal, the part around the column. */
const window = (source: string, column: number): { readonly line: string; readonly column: number } => {
  if (source.length <= widest) return { line: source, column };
  const start = Math.max(0, Math.min(column - widest / 2, source.length - widest));
  const end = start + widest;
  const [before, after] = [start > 0 ? "…" : "", end < source.length ? "…" : ""];
  return { line: `${before}${source.slice(start, end)}${after}`, column: column - start + before.length };
};
