import { readSync, statSync, type BigIntStats } from "node:fs";
import { attempt } from "@tritype/core";
import type { HostFile } from "@tritype/compiler";
import { hashLargeFile, readLargeFile, withFile } from "./large-file.ts";

/** A file on this machine; undefined if it does not exist. The hash is cached until the file changes. */
export const fileOnDisk = (place: string): HostFile | undefined => {
  const stat = statOf(place);
  if (stat === undefined) return undefined;
  return {
    place,
    size: Number(stat.size),
    get bytes() {
      return readLargeFile(place);
    },
    readAt: (offset, length) => readAt(place, offset, length),
    sha256: () => hashOf(place),
  };
};

const hashes = new Map<string, { readonly state: string; readonly hash: string }>();

const hashOf = (place: string): string => {
  const state = stateOf(place);
  const known = hashes.get(place);
  if (known !== undefined && known.state === state) return known.hash;
  const hash = hashLargeFile(place);
  // The hash is only cached if the file did not change while it was read.
  if (stateOf(place) === state) hashes.set(place, { state, hash });
  return hash;
};

/** A stamp that changes when the bytes change, as far as the file system can tell. */
const stateOf = (place: string): string => {
  const stat = statOf(place);
  return stat === undefined ? "" : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
};

const statOf = (place: string): BigIntStats | undefined =>
  attempt(() => {
    const stat = statSync(place, { bigint: true });
    return stat.isFile() ? stat : undefined;
  });

const readAt = (place: string, offset: number, length: number): Uint8Array | undefined =>
  attempt(() =>
    withFile(place, "r", (file) => {
      const bytes = new Uint8Array(length);
      return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
    }),
  );
