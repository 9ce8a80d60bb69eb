import type { MappedLine, Span, Translated } from "@tritype/core";

/** A user function that messages refer to. */
export interface NamedFunction {
  readonly name: string;
  /** The first line of the function. */
  readonly source: Span;
}

/** Positions of emitted lines relative to the user's functions, so that code above the functions does not affect them. */
export interface LinePlaces {
  readonly functions: readonly NamedFunction[];
  /** Line of `python` → "run, line 3, in src/clean.ts". */
  readonly python: ReadonlyMap<number, string>;
  /** The same for `javascript`. */
  readonly javascript: ReadonlyMap<number, string>;
}

/** A top-level definition of the Python text, and its mapped lines. */
interface Section {
  readonly name: string;
  readonly end: number;
  readonly lines: readonly MappedLine[];
}

export const linePlaces = (translated: Translated): LinePlaces => {
  const sections = sectionsOf(translated);
  const named = sections.flatMap((section) => {
    const source = firstLine(section);
    return source === undefined ? [] : [{ section, source, statements: statementsOf(section, source) }];
  });
  const describe = (name: string, source: Span, line: number): string =>
    `${name}, line ${line - source.line + 1}, in ${source.file}`;
  const python = new Map<number, string>();
  for (const { section, source } of named)
    section.lines.forEach(({ line, at }, index) => {
      const next = section.lines[index + 1]?.line ?? section.end;
      for (let each = line; each < next; each++) python.set(each, describe(section.name, source, at.line));
    });
  const javascript = new Map<number, string>();
  const { javascriptLines } = translated;
  javascriptLines.forEach(({ line, at }, index) => {
    const found = named
      .map((one) => ({ ...one, statement: statementOf(one.statements, one.source, at) }))
      .findLast(({ statement }) => statement !== undefined);
    if (found?.statement === undefined) return;
    const next = javascriptLines[index + 1]?.line ?? line + 1;
    for (let each = line; each < Math.max(next, line + 1); each++)
      javascript.set(each, describe(found.section.name, found.source, found.statement));
  });
  return {
    functions: named.map(({ section, source }) => ({ name: section.name, source })),
    python,
    javascript,
  };
};

const sectionsOf = ({ python, lines, entry }: Translated): readonly Section[] => {
  const text = python.split("\n");
  const starts = text.flatMap((line, index) => {
    const name = /^(?:def (\w+)\(|(\w+)(?::[^=]+)? = )/.exec(line);
    return name === null ? [] : [{ name: name[1] ?? name[2] ?? "", line: index + 1 }];
  });
  return starts.map(({ name, line }, index) => {
    const end = starts[index + 1]?.line ?? text.length + 1;
    return {
      name: name === entry ? "run" : name,
      end,
      lines: lines.filter((mapped) => mapped.line >= line && mapped.line < end),
    };
  });
};

/** A section's topmost source line in the file that its first mapped line comes from. */
const firstLine = ({ lines }: Section): Span | undefined => {
  const [first] = lines;
  if (first === undefined) return undefined;
  return lines
    .map(({ at }) => at)
    .filter(({ file }) => file === first.at.file)
    .reduce((top, at) => (at.line < top.line ? at : top));
};

/** The positions of a section's statements in its file: lines in ascending order. */
const statementsOf = ({ lines }: Section, { file }: Span): readonly number[] =>
  lines.flatMap(({ at }) => (at.file === file ? [at.line] : [])).toSorted((a, b) => a - b);

/** The line of the statement, among those of the mapped Python lines, that contains a position. */
const statementOf = (statements: readonly number[], { file }: Span, at: Span): number | undefined =>
  at.file === file && at.line <= (statements.at(-1) ?? 0)
    ? statements.findLast((line) => line <= at.line)
    : undefined;
