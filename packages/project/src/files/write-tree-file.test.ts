import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostFile, TreeFile } from "@tritype/compiler";
import { invariant } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
import { fileOnDisk } from "./file-on-disk.ts";
import { lendTreeFile, writeTreeFile } from "./write-tree-file.ts";

const sourceOf = (text: string): { readonly from: string; readonly to: string; readonly file: HostFile } => {
  const folder = mkdtempSync(join(tmpdir(), "write-tree-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const from = join(folder, "from");
  writeFileSync(from, text);
  writeFileSync(`${from}-plain`, "");
  const file = fileOnDisk(from);
  invariant(file !== undefined, "the file is there");
  return { from, to: join(folder, "to"), file };
};
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

test("a file on disk has a size, parts, and a hash that changes with the file", () => {
  const { from, file } = sourceOf("weights");
  expect(file).toMatchObject({ place: from, size: 7 });
  expect(Buffer.from(file.readAt(3, 100) ?? []).toString()).toBe("ghts");
  expect(Buffer.from(file.bytes).toString()).toBe("weights");
  expect(file.sha256()).toBe(sha256("weights"));
  writeFileSync(from, "WEIGHTS");
  expect(file.sha256()).toBe(sha256("WEIGHTS"));
  rmSync(from);
  expect(file.readAt(0, 1)).toBeUndefined();
  expect(fileOnDisk(from)).toBeUndefined();
  expect(fileOnDisk(tmpdir())).toBeUndefined();
});

test("a copy is a separate file; a read-only file may be linked", () => {
  const { from, to, file } = sourceOf("weights");
  const copy: TreeFile = { kind: "large-copy", from: "assets/from", file };
  writeTreeFile(to, copy);
  expect(readFileSync(to, "utf8")).toBe("weights");
  expect(statSync(to).ino).not.toBe(statSync(from).ino);
  lendTreeFile(`${to}-2`, copy);
  expect(statSync(`${to}-2`).ino).not.toBe(statSync(from).ino);
  lendTreeFile(`${to}-3`, { ...copy, onlyRead: true });
  expect(statSync(`${to}-3`).ino).toBe(statSync(from).ino);
});

test("a private file's mode is not copied, and a link is followed", () => {
  const { from, to, file } = sourceOf("weights");
  chmodSync(from, 0o400);
  writeTreeFile(to, { kind: "large-copy", from: "assets/from", file });
  expect(statSync(to).mode).toBe(statSync(`${from}-plain`).mode);
  symlinkSync("from", `${from}-link`);
  const linked = fileOnDisk(`${from}-link`);
  invariant(linked !== undefined, "the link leads to the file");
  lendTreeFile(`${to}-lent`, { kind: "large-copy", from: "assets/link", file: linked, onlyRead: true });
  expect(lstatSync(`${to}-lent`).ino).toBe(statSync(from).ino);
});

test("a file that changed since it was compiled is not copied", () => {
  const { from, to, file } = sourceOf("weights");
  expect(file.sha256()).toBe(sha256("weights"));
  writeFileSync(from, "other weights");
  expect(() => writeTreeFile(to, { kind: "large-copy", from: "assets/from", file })).toThrow(
    "assets/from changed while it was copied",
  );
});
