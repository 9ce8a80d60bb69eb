import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watchPaths } from "./watch-paths.ts";

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
