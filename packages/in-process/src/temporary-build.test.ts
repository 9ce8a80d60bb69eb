import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tree } from "@tritype/compiler";
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
  const readdirSync = (...args: Parameters<typeof fs.readdirSync>): unknown => {
    if (String(args[0]).endsWith("-unlisted")) throw new Error("EACCES: permission denied");
    return fs.readdirSync(...args);
  };
  return { ...fs, rmSync, readdirSync };
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
  const build = writeTemporaryBuild(new Map(), tmpdir());
  expect(build.repository.startsWith(join(tmpdir(), `tritype-run-${process.pid}-`))).toBe(true);
  build.remove();
  // In a restarted container, this process has the same ID as the one that was killed.
  expect([existsSync(ofEarlier), existsSync(ofOther)]).toEqual([false, true]);
});

test("the folder for temporary files need not be listable", () => {
  const above = mkdtempSync(join(tmpdir(), "tritype-temporary-"));
  onTestFinished(() => rmSync(above, { recursive: true }));
  const folder = join(above, "tmp-unlisted");
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const build = writeTemporaryBuild(new Map(), folder);
  expect(build.repository.startsWith(folder)).toBe(true);
  build.remove();
});

test("a build whose functions import native packages is in the project's node_modules, where they find them", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tritype-native-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const tree: Tree = new Map([["npm/package.json", { kind: "text", text: "{}" }]]);
  const cache = join(root, "node_modules/.cache/tritype");
  const orphan = join(cache, "tritype-run-4194307-killed");
  mkdirSync(orphan, { recursive: true });
  const build = writeTemporaryBuild(tree, join(root, "packages/app"));
  expect(build.repository.startsWith(join(cache, `tritype-run-${process.pid}-`))).toBe(true);
  build.remove();
  expect(readdirSync(cache)).toEqual([]);
});

test.skipIf(process.geteuid?.() !== 0)("a folder that another user left stays", async () => {
  const other = join(tmpdir(), "tritype-run-4194306-other");
  mkdirSync(other, { recursive: true });
  onTestFinished(() => rmSync(other, { recursive: true, maxRetries: 1 }));
  chownSync(other, 1, 1);
  vi.resetModules();
  const first = await import("./temporary-build.ts");
  first.writeTemporaryBuild(new Map(), tmpdir()).remove();
  expect(existsSync(other)).toBe(true);
});
