import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const page = fileURLToPath(new URL("../../../docs/reference/clients.md", import.meta.url));

/** Expects these rows in the table under this heading of the page. `UPDATE=1` writes them. */
export const expectTable = (
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void => {
  const text = readFileSync(page, "utf8");
  const [before = "", section = ""] = text.split(`## ${heading}\n`);
  const table = /^\|(?:.*\n)+?(?!\|)/m;
  expect(section).toMatch(table);
  const lines = [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  const written = `${before}## ${heading}\n${section.replace(table, () => lines.join(""))}`;
  if (process.env["UPDATE"] === "1") writeFileSync(page, written);
  else expect(written).toBe(text);
};
