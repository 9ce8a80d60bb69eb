import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { invariant } from "@tritype/core";

/** A group of codes with the same prefix, such as `shape/…`. */
export interface PageGroup {
  /** "shape" */
  readonly name: string;
  /** "Shapes" */
  readonly title: string;
  readonly codes: readonly string[];
}

/** Markdown of a diagnostic's page. */
export const readPage = (code: string): string => readFileSync(`${folder()}${code}.md`, "utf8");

/** The first paragraph of a page, on one line. */
export const readSummary = (code: string): string =>
  (readPage(code).split("\n\n")[1] ?? "").replaceAll("\n", " ");

/** Every diagnostic: the groups are those in the README, and each page in a group's folder describes one code. */
export const readPageGroups = (): readonly PageGroup[] => {
  const text = readFileSync(`${folder()}README.md`, "utf8");
  return [...text.matchAll(/^- \[([a-z-]+)\]\([^)]*\): (.+)$/gm)].map(([, name = "", title = ""]) => {
    const files = readdirSync(`${folder()}${name}`).toSorted();
    return { name, title, codes: files.map((file) => `${name}/${file.replace(/\.md$/, "")}`) };
  });
};

const folder = (): string => pagesAt("", "diagnostics/");

/**
 * The path of pages in `docs`. Packing copies them into the package; in the workspace they are read from their source
 * folder.
 */
export const pagesAt = (packed: string, source: string): string => {
  const places = [`../../pages/${packed}`, `../../../../docs/${source}`];
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  invariant(found !== undefined, `the package lacks docs/${source}`);
  return found;
};
