import type { Span } from "@tritype/core";

/** How many UTF-16 units a mark at `column` of a line stands under: a name, a string, in a configuration any value; at least 1. */
export const markedLength = (file: string, line: string, column: number): number =>
  marked(file).exec(line.slice(column - 1))?.[0].length ?? 1;

/** The column after what a span points at, on the same line; undefined where there is no such line or column. */
export const endColumnOf = ({ file, line, column }: Span, source: string | undefined): number | undefined => {
  const text = source?.split(/\r?\n/)[line - 1];
  return text === undefined || column > text.length ? undefined : column + markedLength(file, text, column);
};

const string = /"""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/.source;
const nameOrString = new RegExp(`^(?:[bfru]{0,2}(?:${string})|\\.?[\\w$]+(?:\\.[\\w$]+)*)`, "i");
const fieldOrValue = new RegExp(`^(?:-? ?[\\w.+]+|${string})`);
const marked = (file: string): RegExp => (file.endsWith(".pbtxt") ? fieldOrValue : nameOrString);
