import { readFileSync } from "node:fs";
import type { SourceMap } from "node:module";
import { join } from "node:path";
import type { Diagnostic, Label, Span } from "@tritype/core";
import type { Metafile } from "esbuild";
import { mistake } from "../project-error.ts";
import { spanAt } from "../span-at.ts";

/** The imports of each of the user's files, by path from the project's root. */
export type Imports = Readonly<Record<string, readonly Imported[]>>;
interface Imported {
  readonly path: string;
  /** The specifier in the source. */
  readonly written: string;
}

/** The imports between the files of a bundle. */
export const importsOf = ({ inputs }: Metafile): Imports =>
  Object.fromEntries(
    Object.entries(inputs).map(([file, { imports }]) => [
      file,
      imports.flatMap(({ path, original, external }) =>
        external === true || original === undefined ? [] : [{ path, written: original }],
      ),
    ]),
  );

/**
 * The bundle with Node's initialization order, in which reading a `const`, `let` or class before it is set throws a
 * ReferenceError. esbuild writes `var` for all of them, which would read as undefined. Columns do not shift.
 */
export const withUnsetNames = (
  bundle: string,
  map: SourceMap,
  sourceAt: (path: string) => string,
): string => {
  const lines = new Map<string, readonly string[]>();
  const linesOf = (path: string): readonly string[] => {
    const known = lines.get(path) ?? sourceAt(path).split("\n");
    lines.set(path, known);
    return known;
  };
  return bundle
    .split("\n")
    .map((line, index) => {
      if (!line.startsWith("var ")) return line;
      const entry = map.findEntry(index, 0);
      if (!("originalSource" in entry) || entry.generatedLine !== index || entry.generatedColumn !== 0)
        return line;
      const declared = linesOf(entry.originalSource)[entry.originalLine]?.slice(entry.originalColumn) ?? "";
      return /^(?:const(?!\s+enum\b)|let|class|abstract\s+class|export\s+default)\b/.test(declared)
        ? `let ${line.slice("var ".length)}`
        : line;
    })
    .join("\n");
};

/**
 * Explains a name that is read before it is set because files import each other; undefined for any other error.
 * @param readAt The position at which the name is read: the innermost position in the user's files.
 */
export const unsetImport = (
  error: unknown,
  readAt: Span | undefined,
  { root, imports }: { readonly root: string; readonly imports: Imports },
): Diagnostic | undefined => {
  if (!(error instanceof ReferenceError) || !error.message.endsWith("before initialization"))
    return undefined;
  if (readAt === undefined) return undefined;
  const { file, line, column } = readAt;
  const text = readFileSync(join(root, file), "utf8");
  const name = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u.exec(
    text.split("\n")[line - 1]?.slice(column - 1) ?? "",
  )?.[0];
  const written = name === undefined ? undefined : importOf(text, name);
  const from = imports[file]?.find((imported) => imported.written === written)?.path;
  const way = from === undefined ? undefined : findWay(imports, from, file);
  if (name === undefined || from === undefined || way === undefined) return undefined;
  const circle = [file, ...way];
  return mistake(
    `\`${name}\` of ${from} is read before it is set: ${circle.join(" imports ")}`,
    [
      { span: readAt, text: `read while ${from} is still loading` },
      ...circle.slice(1).flatMap((to, index) => importLabel(root, imports, circle[index] ?? file, to)),
    ],
    `move \`${name}\` to a file that imports none of these, or read it in a function that is called later`,
  );
};

/** The chain of imports from one file to another, including both. */
const findWay = (imports: Imports, from: string, to: string): readonly string[] | undefined => {
  const before = new Map<string, string | undefined>([[from, undefined]]);
  for (const file of before.keys()) {
    if (file === to) {
      const way = [file];
      for (let at = before.get(file); at !== undefined; at = before.get(at)) way.unshift(at);
      return way;
    }
    for (const { path } of imports[file] ?? []) if (!before.has(path)) before.set(path, file);
  }
  return undefined;
};

/** The import in a source that provides a name, as its specifier is written. */
const importOf = (text: string, name: string): string | undefined => {
  const mentions = new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`);
  return [...text.matchAll(/import\s([^;"']*?)from\s*["']([^"']+)["']/g)].find(([, clause = ""]) =>
    mentions.test(clause),
  )?.[2];
};

const importLabel = (root: string, imports: Imports, from: string, to: string): readonly Label[] => {
  const written = imports[from]?.find(({ path }) => path === to)?.written;
  const text = readFileSync(join(root, from), "utf8");
  const at = [...text.matchAll(/(?:import|export)\b[^;"']*["']([^"']+)["']/g)].find(
    (match) => match[1] === written,
  )?.index;
  if (at === undefined) return [];
  return [{ span: spanAt(text, at, from), text: `${from} imports ${to}` }];
};
