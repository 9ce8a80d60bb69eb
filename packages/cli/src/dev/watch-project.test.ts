import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createTerminal } from "../terminal.ts";
import { momentNow } from "./edited-since.ts";
import { watchProject } from "./watch-project.ts";

/** Watches a project with one file, `source`, and returns what its builds read and the failures that they reported. */
const watchSource = (fails: (text: string, source: string) => boolean = () => false) => {
  const root = mkdtempSync(join(tmpdir(), "tritype-test-"));
  const [source, output] = [join(root, "source.ts"), join(root, "build")];
  writeFileSync(source, "first");
  const built = { kind: "built", inputs: [source], notes: [], repository: "", output, summary: "" } as const;
  const read: string[] = [];
  const failures: string[] = [];
  const watching = watchProject({
    root,
    build: async () => {
      await sleep(5);
      const text = readFileSync(source, "utf8");
      read.push(text);
      return fails(text, source)
        ? { kind: "failed", exitCode: 1, inputs: [source], notes: [`cannot read ${text}`] }
        : { ...built, warnings: [] };
    },
    first: { ...built, warnings: [] },
    startedAt: momentNow(),
    served: { reload: async () => "same", sayStillServing: () => {}, time: () => "" },
    terminal: { ...createTerminal(), note: () => {} },
    onFailure: (text) => void failures.push(text),
  });
  onTestFinished(async () => {
    await watching.close();
    rmSync(root, { recursive: true });
  });
  return { source, read, failures };
};

test("a file is not read between its truncation and the write", async () => {
  const { source, read } = watchSource();
  truncateSync(source);
  setTimeout(() => writeFileSync(source, "second"), 250);
  await expect.poll(() => read.at(-1), { timeout: 10_000 }).toBe("second");
  expect(read).not.toContain("");
});

test("a file that stays empty is built", async () => {
  const { source, read } = watchSource();
  truncateSync(source);
  await expect.poll(() => read.at(-1), { timeout: 10_000 }).toBe("");
});

test("a failure is not reported if the file that caused it has changed since", async () => {
  const { source, read, failures } = watchSource((text) => {
    if (text !== "sec") return false;
    writeFileSync(source, "second");
    return true;
  });
  writeFileSync(source, "sec");
  await expect.poll(() => read.at(-1), { timeout: 10_000 }).toBe("second");
  expect(failures).toEqual([]);
});

test("a failure is reported although its builds change a file that they read", async () => {
  let builds = 0;
  const { source, failures } = watchSource((_, file) => {
    writeFileSync(file, "x".repeat(++builds));
    return true;
  });
  writeFileSync(source, "second");
  await expect.poll(() => failures.length, { timeout: 10_000 }).toBeGreaterThan(0);
});
