import { SourceMap } from "node:module";
import { resolve } from "node:path";
import type { MadeBundle } from "./bundle-task.ts";

/** A position in a source; line and column start at 0. */
export interface Origin {
  /** An absolute path. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A literal in a source. */
interface Literal {
  readonly path: string;
  /** The text of the source. */
  readonly source: string;
  readonly written: string;
  /** The position in the source. */
  readonly offset: number;
}

/** The sources of a bundle's code, read from its source map. */
export interface BundleOrigins {
  /** The source of a position in the bundle; undefined for code that is not from a file. */
  of(index: number): Origin | undefined;
  /** Whether the bundle contains this literal, and not only another one with the same text. */
  has(literal: Literal): boolean;
}

export const bundleOrigins = (
  root: string,
  { text, map }: Pick<MadeBundle, "text" | "map">,
): BundleOrigins => {
  const ends = [...text.matchAll(/\n|$/g)].map(({ index }) => index);
  let sources: SourceMap | undefined;
  const of = (index: number): Origin | undefined => {
    const line = lineOf(ends, index);
    sources ??= new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
    const entry = sources.findEntry(line, line === 0 ? index : index - (ends[line - 1] ?? 0) - 1);
    if (!("originalSource" in entry) || /^[\w-]{2,}:/.test(entry.originalSource)) return undefined;
    const path = resolve(root, decodeURIComponent(entry.originalSource));
    return { path, line: entry.originalLine, column: entry.originalColumn };
  };
  const has = ({ path, source, written, offset }: Literal): boolean => {
    const line = source.slice(0, offset).split("\n").length - 1;
    for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + 1)) {
      const origin = of(at);
      if (origin?.path === path && origin.line === line) return true;
    }
    return false;
  };
  return { of, has };
};

/** The line of a position, from the positions at which lines end. */
const lineOf = (ends: readonly number[], index: number): number => {
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return low;
};
