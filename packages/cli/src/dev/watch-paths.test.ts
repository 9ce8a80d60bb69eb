import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix, win32 } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watchPaths, withOwnSeparators } from "./watch-paths.ts";

test("a change is reported although files keep changing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-test-"));
  let changes = 0;
  const watch = watchPaths({
    paths: [folder],
    ignored: () => false,
    quiet: 50,
    onChange: () => {
      changes++;
    },
    onProblem: expect.fail,
  });
  let written = 0;
  const writing = setInterval(
    () => writeFileSync(join(folder, `file-${written++ % 5}`), String(written)),
    10,
  );
  onTestFinished(async () => {
    clearInterval(writing);
    await watch.close();
    rmSync(folder, { recursive: true });
  });
  await expect.poll(() => changes, { timeout: 10_000 }).toBeGreaterThan(1);
});

test.each([
  [win32, "C:/project/pipeline.ts", "C:\\project\\pipeline.ts"],
  [win32, "//server/share/pipeline.ts", "\\\\server\\share\\pipeline.ts"],
  [posix, "/project/a\\b.ts", "/project/a\\b.ts"],
])("the watcher's paths are compared as the system writes them", (system, given, own) => {
  expect(withOwnSeparators((path) => path === own, system)(given)).toBe(true);
});
