import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolders } from "./make-folders.ts";

test("the error is the one for the first folder that cannot be created, unless a file is in the way", () => {
  const folder = mkdtempSync(join(tmpdir(), "folders-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), "");
  const inFile = join(folder, "file", "a", "b");
  expect(() => makeFolders(inFile)).toThrow(`ENOTDIR: not a directory, mkdir '${inFile}'`);
  const tooLong = join(folder, "x".repeat(300));
  expect(() => makeFolders(join(tooLong, "a"))).toThrow(`ENAMETOOLONG: name too long, mkdir '${tooLong}'`);
});
