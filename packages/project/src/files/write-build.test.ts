import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textFile, type Tree } from "@tritype/compiler";
import { expect, onTestFinished, test } from "vitest";
import { writeBuild } from "./write-build.ts";

const tree: Tree = new Map([["Dockerfile", textFile("FROM scratch\n")]]);

/** An empty build folder with a file next to it. */
const foldersOf = () => {
  const parent = mkdtempSync(join(tmpdir(), "write-build-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const [build, notes] = [join(parent, "build"), join(parent, "notes.txt")];
  mkdirSync(build);
  writeFileSync(notes, "mine");
  return { build, notes };
};

test("a manifest cannot make a build delete files outside its folder", () => {
  const { build, notes } = foldersOf();
  const manifest = {
    formatVersion: 1,
    target: "24.10",
    models: [],
    ensembles: [],
    loadOrder: [],
    requirements: [],
    files: { "../notes.txt": "0".repeat(64) },
  };
  writeFileSync(join(build, "manifest.json"), JSON.stringify(manifest));
  expect(() => writeBuild(build, tree)).toThrow(expect.objectContaining({ code: "file/foreign" }));
  expect(existsSync(notes)).toBe(true);
});

test("neither can the journal of an interrupted build", () => {
  const { build, notes } = foldersOf();
  const staging = join(build, ".staging-x");
  mkdirSync(staging);
  writeFileSync(join(staging, "journal.json"), JSON.stringify({ placed: ["../notes.txt"], deleted: [] }));
  writeBuild(build, tree);
  expect(existsSync(notes)).toBe(true);
  expect(readdirSync(build)).toEqual(["Dockerfile"]);
});
