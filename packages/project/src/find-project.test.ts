import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findProject, lookForProject } from "./find-project.ts";

test("a pipeline.ts that links to a file that does not exist is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "find-project-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync("gone.ts", join(folder, "pipeline.ts"));
  expect(() => findProject(folder)).toThrow(
    `${folder} has a pipeline.ts that is a symbolic link to gone.ts, which does not exist`,
  );
});

test.skipIf(process.platform === "win32")(
  "a folder of all users, such as /tmp, does not configure the projects in it",
  () => {
    const shared = mkdtempSync(join(tmpdir(), "find-project-"));
    onTestFinished(() => rmSync(shared, { recursive: true }));
    const own = join(shared, "own");
    mkdirSync(own);
    writeFileSync(join(shared, "pipeline.config.ts"), "export default {};");
    expect(lookForProject(own)?.root).toBe(shared);
    chmodSync(shared, 0o1777);
    expect(lookForProject(own)).toBeUndefined();
    expect(lookForProject(shared)?.root).toBe(shared);
  },
);
