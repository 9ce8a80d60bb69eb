import { chownSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processMark } from "@tritype/wheels";
import { expect, onTestFinished, test, vi } from "vitest";
import { writeTemporaryBuild } from "./temporary-build.ts";

const left = join(tmpdir(), "tritype-run-4194305-left");
vi.mock("node:fs", async (load) => {
  const fs = await load<typeof import("node:fs")>();
  const rmSync: typeof fs.rmSync = (path, options) => {
    if (path === left && options?.maxRetries === undefined) throw new Error("EPERM: operation not permitted");
    fs.rmSync(path, options);
  };
  return { ...fs, rmSync };
});

const before = (mark: string): string => join(tmpdir(), `tritype-run-${process.pid}-${mark}-before`);
const [machine, boot, started] = processMark.split(".");
const ofEarlier = before(`${machine}.${boot}.${Number(started) - 5000}`);
const ofOther = before(`00000000.${boot}.${started}`);

test("a folder that another process left stays if it cannot be removed", () => {
  mkdirSync(left, { recursive: true });
  onTestFinished(() => rmSync(left, { recursive: true, maxRetries: 1 }));
  for (const path of [ofEarlier, ofOther]) mkdirSync(path, { recursive: true });
  onTestFinished(() => rmSync(ofOther, { recursive: true }));
  const build = writeTemporaryBuild(new Map());
  expect(build.repository.startsWith(join(tmpdir(), `tritype-run-${process.pid}-`))).toBe(true);
  build.remove();
  // In a restarted container, this process has the same ID as the one that was killed.
  expect([existsSync(ofEarlier), existsSync(ofOther)]).toEqual([false, true]);
});

test.skipIf(process.geteuid?.() !== 0)("a folder that another user left stays", async () => {
  const other = join(tmpdir(), "tritype-run-4194306-other");
  mkdirSync(other, { recursive: true });
  onTestFinished(() => rmSync(other, { recursive: true, maxRetries: 1 }));
  chownSync(other, 1, 1);
  vi.resetModules();
  const first = await import("./temporary-build.ts");
  first.writeTemporaryBuild(new Map()).remove();
  expect(existsSync(other)).toBe(true);
});
