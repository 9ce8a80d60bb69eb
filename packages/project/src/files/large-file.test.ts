import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hashBytes, hashLargeFile, readLargeFile, writeInPieces, writeLargeFile } from "./large-file.ts";

const folder = mkdtempSync(join(tmpdir(), "large-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, "file");
const bytesOf = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => i % 251);

test.each([0, 1, 6, 7, 8, 14, 20])("%i bytes copied in pieces of 7 stay the same", (size) => {
  const bytes = bytesOf(size);
  writeLargeFile(path, bytes, 7);
  expect(Uint8Array.from(readFileSync(path))).toEqual(bytes);
  expect(Uint8Array.from(readLargeFile(path, 7))).toEqual(bytes);
  expect(hashBytes(bytes, 7)).toBe(createHash("sha256").update(bytes).digest("hex"));
});

test.each([0, 7, 20])("%i bytes are written in pieces of 7 and hashed", (size) => {
  const bytes = bytesOf(size);
  const readAt = (at: number, length: number): Uint8Array => bytes.subarray(at, at + length);
  expect(writeInPieces(path, { size, readAt }, 7)).toBe(hashBytes(bytes));
  expect(Uint8Array.from(readFileSync(path))).toEqual(bytes);
});

test("a shorter file replaces a longer one", () => {
  writeFileSync(path, bytesOf(100));
  writeLargeFile(path, bytesOf(9), 7);
  expect(readFileSync(path)).toHaveLength(9);
});

test("a missing file and a folder cause the file system's errors", () => {
  expect(() => readLargeFile(join(folder, "none"))).toThrow("ENOENT");
  expect(() => readLargeFile(folder)).toThrow("EISDIR");
});

test.each([0, 1, 7, 20])("a %i-byte file that is read in pieces of 7 has the correct hash", (size) => {
  writeFileSync(path, bytesOf(size));
  expect(hashLargeFile(path, 7)).toBe(createHash("sha256").update(bytesOf(size)).digest("hex"));
});
