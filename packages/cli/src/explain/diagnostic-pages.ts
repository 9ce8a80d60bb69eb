import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { invariant } from "@tritype/core";

/** One line of the index of pages. */
export interface PageEntry {
  readonly code: string;
  /** One or two sentences. */
  readonly summary: string;
}

/** The codes that begin alike, such as `shape/…`. */
export interface PageGroup {
  /** "shape" */
  readonly name: string;
  /** "Shapes" */
  readonly title: string;
  readonly entries: readonly PageEntry[];
}

/** Markdown of a diagnostic's page. */
export const readPage = (code: string): string => readFileSync(`${folder()}${code}.md`, "utf8");

/** Every diagnostic, in the groups of the index. */
export const readPageGroups = (): readonly PageGroup[] => {
  const groups: { title: string; entries: PageEntry[] }[] = [];
  const text = readFileSync(`${folder()}README.md`, "utf8").replaceAll(/\n {2}(?=\S)/g, " ");
  for (const line of text.split("\n")) {
    const title = /^## (.+)$/.exec(line)?.[1];
    if (title !== undefined) groups.push({ title, entries: [] });
    const [, code, summary = ""] = /^- \[([a-z0-9/-]+)\]\([^)]*\): (.*)$/.exec(line) ?? [];
    if (code !== undefined) groups.at(-1)?.entries.push({ code, summary });
  }
  return groups.flatMap(({ title, entries }) => {
    const name = entries[0]?.code.split("/")[0];
    return name === undefined ? [] : [{ name, title, entries }];
  });
};

/** Packing copies the pages of `docs/diagnostics` into the package; in the workspace they are read where they are written. */
const folder = (): string => {
  const places = ["../../pages/", "../../../../docs/diagnostics/"];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  invariant(found !== undefined, "the package has no diagnostics pages");
  return found;
};
