import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { editedSince } from "./edited-since.ts";

const folder = mkdtempSync(join(tmpdir(), "tritype-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file that was written this many milliseconds after the wall clock showed 1,000,000 ms. */
const file = (milliseconds: number): string => {
  const path = join(folder, String(milliseconds));
  writeFileSync(path, "");
  utimesSync(path, (1_000_000 + milliseconds) / 1000, (1_000_000 + milliseconds) / 1000);
  return path;
};
const hour = 3_600_000;
const then = { wall: 1_000_000, steady: 500 };

it.each<[string, number, number, boolean]>([
  ["a file from before", -1000, 2000, false],
  ["a file from after", 1000, 2000, true],
  ["a file from before, the clock set forward since", -1000, 2000 + hour, true],
  ["an edit after the clock was set back", 1000 - hour, 2000 - hour, true],
])("%s", (_, written, elapsed, edited) => {
  const now = { wall: then.wall + elapsed, steady: then.steady + 2000 };
  expect(editedSince([file(written)], then, now)).toBe(edited);
});

it("returns false for a missing file and for a folder", () => {
  const now = { wall: then.wall + hour, steady: then.steady };
  expect(editedSince([join(folder, "missing"), folder], then, now)).toBe(false);
});
