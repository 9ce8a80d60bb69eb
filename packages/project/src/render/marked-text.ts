import type { Span } from "@tritype/core";

/**
 * Number of UTF-16 units (at least 1) that a mark at `column` of a line covers: a name, a string, or any value in a
 * configuration.
 */
export const markedLength = (file: string, line: string, column: number): number =>
  marked(file).exec(line.slice(column - 1))?.[0].length ?? 1;

/** A line of a source in displayable form; undefined if there is none, or if the file is not text. */
export const lineOf = (file: string, source: string | undefined, line: number): string | undefined => {
  if (source === undefined) return undefined;
  if (last?.source !== source || last.file !== file) last = { file, source, lines: linesOf(file, source) };
  return last.lines?.[line - 1];
};

/** The most recently requested source, so that thousands of findings in one file split it only once. */
let last:
  | { readonly file: string; readonly source: string; readonly lines: readonly string[] | undefined }
  | undefined;

const linesOf = (file: string, source: string): readonly string[] | undefined =>
  !alwaysText.test(file) && binary.test(source) ? undefined : source.split(/\r?\n/);

const alwaysText = /\.(?:pbtxt|py|ts|json)$/;
// oxlint-disable-next-line no-control-regex
const binary = /[\u0000-\u0008\u000E-\u001F\uFFFD]/;

/** The column after the text of a span, on the same line; undefined if that line or column does not exist. */
export const endColumnOf = ({ file, line, column }: Span, source: string | undefined): number | undefined => {
  const text = lineOf(file, source, line);
  return text === undefined || column > text.length ? undefined : column + markedLength(file, text, column);
};

const string = /"""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/.source;
const nameOrString = new RegExp(`^(?:[bfru]{0,2}(?:${string})|\\.?[\\w$]+(?:\\.[\\w$]+)*)`, "i");
const fieldOrValue = new RegExp(`^(?:-? ?[\\w.+]+|${string})`);
const marked = (file: string): RegExp => (file.endsWith(".pbtxt") ? fieldOrValue : nameOrString);
