import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProject } from "./find-project.ts";

test("a pipeline.ts that links to a file that does not exist is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "find-project-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync("gone.ts", join(folder, "pipeline.ts"));
  expect(() => findProject(folder)).toThrow(
    `${folder} has a pipeline.ts that is a symbolic link to gone.ts, which does not exist`,
  );
});
