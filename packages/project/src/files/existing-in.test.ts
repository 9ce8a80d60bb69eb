import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { existingIn } from "./existing-in.ts";

test("files and folders exist, and paths in a missing folder or below a file do not", () => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-existing-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "m/1"), { recursive: true });
  writeFileSync(join(folder, "m/1/model.py"), "");
  const exists = existingIn(folder);
  const paths = ["m", "m/1", "m/1/model.py", "m/1/model.py/x", "m/2", "m/2/model.py", "n/1/model.py", "n"];
  expect(paths.filter(exists)).toEqual(["m", "m/1", "m/1/model.py"]);
});
