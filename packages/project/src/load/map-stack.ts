import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { attempt } from "@tritype/core";

/**
 * The text of a stack whose frames point to the sources, as URLs. Frames in files without a map are kept unchanged. `mapOf` returns a
 * file's map by its path.
 */
export const mapStack = (stack: string, mapOf: (file: string) => SourceMap | undefined): string =>
  stack.replaceAll(
    /(file:\/\/[^\s()]+|[A-Za-z]?:?[\\/][^\s()]+):(\d+):(\d+)/g,
    (frame, place: string, line: string, column: string) => {
      const file = place.startsWith("file:") ? fileURLToPath(place) : place;
      const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (entry === undefined || !("originalSource" in entry)) return frame;
      return `${sourceUrl(entry.originalSource, file)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    },
  );

/** The map that a compiler wrote next to a file; undefined if there is none. */
export const mapBeside = (file: string): SourceMap | undefined =>
  attempt(
    () =>
      new SourceMap(
        JSON.parse(readFileSync(`${file}.map`, "utf8")) as ConstructorParameters<typeof SourceMap>[0],
      ),
  );

/** Sources of a map are URLs relative to it. Parentheses would end the path in a frame. */
const sourceUrl = (source: string, file: string): string =>
  new URL(source, pathToFileURL(file)).href.replaceAll("(", "%28").replaceAll(")", "%29");
