import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { entries } from "@tritype/check";
import { expect, test } from "vitest";
import { findOn, pageHead, readCheckPage, shownOn } from "./check-page.ts";
import { replaceFence } from "./markdown-fences.ts";
import { alternatives, findInCase, readCases, showCase } from "./page-cases.ts";

const folder = fileURLToPath(new URL("../../docs/diagnostics/", import.meta.url));

test.each(entries.map((entry) => [entry.code, entry] as const))(
  "%s: the first repository has the fault, the second has no findings",
  (code, entry) => {
    const file = join(folder, `${code}.md`);
    const page = readFileSync(file, "utf8");
    const checked = readCheckPage(page);
    const found = findOn("wrong", checked);
    expect(found.map((diagnostic) => diagnostic.code)).toContain(code);
    const text = shownOn(checked.wrong, found);
    if (process.env["UPDATE"] === "1") {
      const body = replaceFence(page, checked.shown, text);
      writeFileSync(file, `${pageHead(entry)}\n${body.slice(body.indexOf("```"))}`);
    } else {
      expect(page.startsWith(pageHead(entry))).toBe(true);
      expect(checked.shown.text).toBe(text);
    }
    expect(findOn("fixed", checked)).toEqual([]);
  },
);

const withCases = entries
  .map(({ code }) => ({ code, file: join(folder, `${code}.md`) }))
  .filter(({ file }) => readFileSync(file, "utf8").includes("\n```cases "));

test.each(withCases)("$code: its cases are valid or faulty as marked", ({ code, file }) => {
  const text = readFileSync(file, "utf8");
  const page = readCheckPage(text);
  const { cases } = page;
  if (cases === undefined) throw new Error("the page has cases");
  const help = findOn("wrong", page).find((diagnostic) => diagnostic.code === code)?.help;
  const shown = readCases(cases).map((one) => {
    const all = alternatives(one).map((each) => findInCase(page, cases.info, each));
    for (const { found } of all) {
      const own = found.some((diagnostic) => diagnostic.code === code);
      const mark = own ? "✗" : found.length > 0 ? "~" : "✓";
      expect(`${mark} ${one.change} ${one.given}`).toBe(`${one.mark} ${one.change} ${one.given}`);
    }
    const [first] = all;
    if (first === undefined || (one.mark === "✗" && all.length > 1)) throw new Error("one finding a line");
    return `${showCase(code, { path: cases.info, help }, one, first)}\n`;
  });
  if (process.env["UPDATE"] === "1") writeFileSync(file, replaceFence(text, cases, shown.join("")));
  else expect(cases.text).toBe(shown.join(""));
});
