import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";

const print = (title: string, entries: ReadonlyMap<string, string>): string =>
  `# ${title}\n${[...entries].map(([heading, text]) => `\n## ${heading}\n\n${text}\n`).join("")}`;

/** Heading → text below it. */
const parse = (markdown: string): ReadonlyMap<string, string> =>
  new Map(
    markdown
      .split(/^## /mu)
      .slice(1)
      .map((section) => {
        const end = section.indexOf("\n");
        return [section.slice(0, end), section.slice(end).trim()];
      }),
  );

/**
 * One test per section of the Markdown file and per entry: both must exist and be equal. UPDATE=1 rewrites the file.
 */
export const itMatches = (file: URL, title: string, entries: ReadonlyMap<string, string>): void => {
  if (process.env["UPDATE"] === "1") writeFileSync(file, print(title, entries));
  const saved = parse(readFileSync(file, "utf8"));
  it.each([...new Set([...entries.keys(), ...saved.keys()])])("%s", (heading) => {
    expect(entries.get(heading), "made by the test").toBeDefined();
    expect(saved.get(heading), "UPDATE=1 rewrites the snapshot").toBe(entries.get(heading));
  });
  it("is written in order", () => {
    expect([...saved.keys()]).toEqual([...entries.keys()]);
  });
};
