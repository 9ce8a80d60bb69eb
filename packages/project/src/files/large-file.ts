import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import type { HostFile } from "@tritype/compiler";
import { remembered } from "@tritype/core";
import { projectError } from "../errors.ts";

/** Node.js reads, writes and hashes less than 2 GiB in one call; a model's weights may be larger. */
const largestPiece = 2 ** 30;
const hashedPiece = 2 ** 22;

/** Opens a file for `work`, and closes it again. @throws the file system's error */
export const withFile = <T>(path: string, flags: "r" | "w", work: (file: number) => T): T => {
  const file = openSync(path, flags);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
};

/**
 * A whole file.
 * @throws the file system's error; PipelineError `file/not-readable` for a file larger than a buffer can be (4 GiB on
 * Node.js 20).
 */
export const readLargeFile = (path: string, piece: number = largestPiece): Uint8Array =>
  withFile(path, "r", (file) => {
    const { size } = fstatSync(file);
    if (size <= piece) return readFileSync(file);
    const bytes = room(path, size);
    let at = 0;
    for (let read = -1; at < size && read !== 0; at += read)
      read = readSync(file, bytes, at, Math.min(piece, size - at), null);
    return bytes.subarray(0, at);
  });

const room = (path: string, size: number): Uint8Array => {
  try {
    return new Uint8Array(size);
  } catch (cause) {
    throw projectError("file/too-large", { path, size, version: process.versions.node }, { cause });
  }
};

/**
 * Writes the content from `readAt` piece by piece, and returns the lower-case hexadecimal SHA-256 of the written bytes.
 * @throws the file system's error
 */
export const writeInPieces = (
  path: string,
  { size, readAt }: Pick<HostFile, "readAt" | "size">,
  piece: number = hashedPiece,
): string => {
  const hash = createHash("sha256");
  return withFile(path, "w", (file) => {
    for (let at = 0; at < size; ) {
      const bytes = readAt(at, Math.min(piece, size - at)) ?? new Uint8Array();
      if (bytes.length === 0) break;
      const written = writeSync(file, bytes);
      hash.update(bytes.subarray(0, written));
      at += written;
    }
    return hash.digest("hex");
  });
};

/** Writes a whole file. @throws the file system's error */
export const writeLargeFile = (path: string, bytes: Uint8Array, piece: number = largestPiece): void => {
  if (bytes.byteLength <= piece) writeFileSync(path, bytes);
  else
    withFile(path, "w", (file) => {
      for (let at = 0; at < bytes.byteLength; )
        at += writeSync(file, bytes, at, Math.min(piece, bytes.byteLength - at));
    });
};

/** Lower-case hexadecimal SHA-256 of a file, read in pieces. @throws the file system's error */
export const hashLargeFile = (path: string, piece: number = hashedPiece): string => {
  const hash = createHash("sha256");
  return withFile(path, "r", (file) => {
    const bytes = new Uint8Array(Math.min(piece, fstatSync(file).size + 1));
    for (let read = -1; read !== 0; ) {
      read = readSync(file, bytes, 0, bytes.length, null);
      hash.update(bytes.subarray(0, read));
    }
    return hash.digest("hex");
  });
};

/** Lower-case hexadecimal SHA-256. */
export const hashBytes = (bytes: Uint8Array, piece: number = largestPiece): string => {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.byteLength; at += piece) hash.update(bytes.subarray(at, at + piece));
  return hash.digest("hex");
};

/** The same hash, computed only once for each array. */
export const hashOnce: (bytes: Uint8Array) => string = remembered((bytes) => hashBytes(bytes));

const ofPieces = new Map<string, string>();

/** The SHA-256 of bytes in pieces, cached under a key that is equal for equal bytes. */
export const hashPieces = (key: string, pieces: () => Iterable<Uint8Array>): string => {
  const known = ofPieces.get(key);
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  for (const bytes of pieces()) hash.update(bytes);
  const digest = hash.digest("hex");
  ofPieces.set(key, digest);
  return digest;
};
