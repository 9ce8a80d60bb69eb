import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import type { Entry, RepositoryHost } from "@tritype/check";
import { attempt } from "@tritype/core";
import { leavesFolder, realPath } from "./leaves-folder.ts";
import { nameOfBytes, pathBytes } from "./odd-names.ts";

/** Files larger than this are not read as a whole: 2 GiB, the limit of a protobuf message. */
const wholeFileLimit = 2 ** 31;
const keptFolders = 64;

/** A folder on this machine, as the checker accesses it. Only the listings of the most recent folders are cached. */
export const createRepositoryHost = (root: string): RepositoryHost => {
  const listings = new Map<string, readonly Entry[] | undefined>();
  const bytesOf = (path: string): Buffer => pathBytes(path === "" ? root : `${root}/${path}`);
  return {
    list(folder) {
      if (listings.has(folder)) return listings.get(folder);
      const entries = listFolder(bytesOf(folder));
      const [oldest] = listings.size < keptFolders ? [] : listings.keys();
      if (oldest !== undefined) listings.delete(oldest);
      listings.set(folder, entries);
      return entries;
    },
    read: (file, limit) => readRegularFile(bytesOf(file), limit),
    readAt: (file, offset, length) => readRegularFile(bytesOf(file), length, offset),
    leaves: leavesFolder(root),
    realPath: (path) => realPath(bytesOf(path)),
  };
};

const listFolder = (folder: Buffer): readonly Entry[] | undefined => {
  const names = attempt(() => readdirSync(folder, { encoding: "buffer" }));
  return names
    ?.map((name) => entryOf(nameOfBytes(name), Buffer.concat([folder, slash, name])))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
};

const slash = Buffer.from("/");

const entryOf = (name: string, path: Buffer): Entry => {
  const stat = attempt(() => statSync(path));
  if (stat?.isFile() === true) return { name, kind: "file", size: stat.size };
  if (stat !== undefined) return { name, kind: stat.isDirectory() ? "folder" : "other", size: 0 };
  const target = attempt(() => readlinkSync(path, { encoding: "buffer" }));
  return { name, kind: "other", size: 0, ...(target && { deadLink: nameOfBytes(target) }) };
};

/**
 * At most `limit` bytes of a file, from `offset` on; undefined if it is not a file, cannot be read or, without a limit,
 * is too large.
 */
export const readRegularFile = (
  path: string | Buffer,
  limit?: number,
  offset = 0,
): Uint8Array | undefined => {
  // Does not wait for a writer if the file is a pipe.
  const file = attempt(() => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  if (file === undefined) return undefined;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || (limit === undefined && stat.size > wholeFileLimit)) return undefined;
    const bytes = new Uint8Array(Math.min(Math.max(stat.size - offset, 0), limit ?? Infinity));
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, Math.min(bytes.length - length, 2 ** 30), offset + length);
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
};
