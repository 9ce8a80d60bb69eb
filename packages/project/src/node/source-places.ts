import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Span } from "@tritype/core";
import { fileOnDisk } from "../files/file-on-disk.ts";
import { spanAt } from "../span-at.ts";
import { fromRoot } from "./finish-bundle.ts";

/** The position at which a file imports a module by this name. */
export const importPlace = (root: string, path: string, written: string): Span => {
  const text = readFileSync(path, "utf8");
  const at = ['"', "'", "`"].map((quote) => text.indexOf(`${quote}${written}${quote}`)).find((i) => i >= 0);
  return spanAt(text, at ?? 0, fromRoot(root, path));
};

/** A file that a source reads from its own folder. */
export interface FileBeside {
  /** The name as written in the source. */
  readonly path: string;
  readonly offset: number;
}

/** The existing files that a source names relative to itself, with `import.meta` or `__dirname`, and any WebAssembly that it names. */
export const filesBeside = (path: string, text: string): readonly FileBeside[] =>
  /\bimport\.meta\.(?:url|filename|dirname)\b|\b__(?:dir|file)name\b/.test(text)
    ? besides
        .flatMap((pattern) => [...text.matchAll(pattern)])
        .flatMap((match) => {
          const name = match.groups?.["path"] ?? "";
          const offset = match.index + match[0].indexOf(name) - 1;
          return fileOnDisk(join(dirname(path), name)) !== undefined ? [{ path: name, offset }] : [];
        })
    : [];

const besides = [
  /\bnew URL\(\s*(?<quote>["'`])(?<path>[^"'`$\n]+)\k<quote>\s*,\s*import\.meta\.url\b/g,
  /(?:\bimport\.meta\.dirname\b|\b__dirname\b|\bdirname\(\s*fileURLToPath\(\s*import\.meta\.url\s*\)\s*\))(?:\s*[,+]\s*(?<quote>["'`])|\})(?<path>[^"'`$\n]+)["'`]/g,
  /(?<quote>["'`])(?<path>[\w@./-]+\.wasm)\k<quote>/g,
];
