import { SourceMap } from "node:module";
import { resolve } from "node:path";
import { positionsIn } from "@tritype/core";
import type { MadeBundle } from "./bundle-task.ts";

/** A position in a source; line and column start at 0. */
interface Origin {
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
  const positionOf = positionsIn(text);
  let sources: SourceMap | undefined;
  const of = (index: number): Origin | undefined => {
    const { line, column } = positionOf(index);
    sources ??= new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
    const entry = sources.findEntry(line - 1, column - 1);
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
