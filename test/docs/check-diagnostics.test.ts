import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { entries } from "@tritype/check";
import { expect, test } from "vitest";
import { findOn, pageHead, readCheckPage, shownOn } from "./check-page.ts";
import { replaceFence } from "./markdown-fences.ts";

const folder = fileURLToPath(new URL("../../docs/diagnostics/", import.meta.url));

test.each(entries.map((entry) => [entry.code, entry] as const))(
  "%s: the first repository gives it, the second gives nothing",
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
