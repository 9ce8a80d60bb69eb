import type { Diagnostic, Label } from "@tritype/core";
import type { Colors } from "picocolors/types.js";

/** The text of a source file, or undefined when it cannot be read. */
export type ReadSource = (file: string) => string | undefined;

/** A diagnostic as people read it: code and sentence, a frame for each end, notes, the way out. */
export const renderDiagnostic = (diagnostic: Diagnostic, readSource: ReadSource, colors: Colors): string => {
  const paint = diagnostic.severity === "error" ? colors.red : colors.yellow;
  const gutter = Math.max(1, ...diagnostic.labels.map(({ span }) => String(span.line).length));
  const bar = " ".repeat(gutter);
  return [
    `${paint(colors.bold(`${diagnostic.severity}[${diagnostic.code}]`))}${colors.bold(`: ${diagnostic.message}`)}`,
    ...diagnostic.labels.flatMap((label, index) =>
      frame(label, readSource, gutter, index === 0 ? paint : colors.cyan, index === 0, colors),
    ),
    ...diagnostic.notes.map((note) => `${bar} ${colors.dim("=")} note: ${note}`),
    ...(diagnostic.help === undefined
      ? []
      : [`${bar} ${colors.dim("=")} ${colors.green("help")}: ${diagnostic.help}`]),
  ].join("\n");
};

const frame = (
  { span, text }: Label,
  readSource: ReadSource,
  gutter: number,
  paint: (text: string) => string,
  primary: boolean,
  colors: Colors,
): readonly string[] => {
  const line = readSource(span.file)?.split(/\r?\n/)[span.line - 1];
  const place = `${" ".repeat(gutter)}${colors.dim(primary ? "┌─" : "├─")} ${span.file}:${span.line}:${span.column}`;
  if (line === undefined) return [place];
  const length = /^(?:\.?[\w$]+(?:\.[\w$]+)*)/.exec(line.slice(span.column - 1))?.[0].length ?? 1;
  const indent = line.slice(0, span.column - 1).replaceAll(/[^\t]/g, " ");
  const mark = (primary ? "^" : "-").repeat(length);
  return [
    place,
    `${colors.dim(`${String(span.line).padStart(gutter)}│`)} ${line}`,
    `${" ".repeat(gutter)}${colors.dim("│")} ${indent}${paint(`${mark} ${text}`.trimEnd())}`,
  ];
};
