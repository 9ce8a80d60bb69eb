import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findOn, readCheckPage, shownOn } from "./check-page.ts";
import { replaceFence } from "./markdown-fences.ts";

const file = fileURLToPath(new URL("../../docs/check.md", import.meta.url));

test("the guide to `pipeline check` shows the command's real output", () => {
  const guide = readFileSync(file, "utf8");
  const page = readCheckPage(guide);
  const text = shownOn(page.wrong, findOn("wrong", page));
  if (process.env["UPDATE"] === "1") writeFileSync(file, replaceFence(guide, page.shown, text));
  else expect(page.shown.text).toBe(text);
  expect(findOn("fixed", page)).toEqual([]);
});
