import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, basename, join } from "node:path";
import { notWritable } from "@tritype/core";
import { hasEnded } from "@tritype/wheels";
import { type ContentHash, type GrowingHash, growingHash, hashFile } from "./content-hash.ts";
import { cacheHelp } from "./hub-cache.ts";

/** A download in progress: the bytes of a blob that have arrived, and their hash so far. */
export interface PartialFile {
  readonly path: string;
  /** Number of bytes that have arrived. */
  readonly size: () => number;
  readonly append: (bytes: Uint8Array) => Promise<void>;
  /** Discards the bytes that have arrived. */
  readonly restart: () => Promise<void>;
  /** The hash of all bytes. Finalizes the hash: afterwards only `become` and `discard` may be called. */
  readonly hex: () => string;
  /** Renames it to the blob. */
  readonly become: () => Promise<void>;
  readonly discard: () => Promise<void>;
  /** Closes the file; its bytes are kept for the next attempt. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the partial file of a blob. Its name contains the process that writes to it, so two processes never write to
 * the same file. The file of a process that has ended is taken over and hashed again. Containers often have a new host name each time.
 * @throws PipelineError `file/not-writable`
 */
export const openPartial = async (
  blob: string,
  { kind }: ContentHash,
  total: number,
): Promise<PartialFile> => {
  const path = `${blob}.${own()}${suffix}`;
  let hash: GrowingHash = growingHash(kind, total);
  let size = 0;
  let file: FileHandle;
  try {
    await mkdir(dirname(blob), { recursive: true });
    await adopt(blob, path);
    file = await open(path, "a+");
    size = (await file.stat()).size;
    await hashFile(path, hash);
  } catch (error) {
    throw notWritable(path, error, cacheHelp);
  }
  const restart = async (): Promise<void> => {
    await file.truncate(0);
    hash = growingHash(kind, total);
    size = 0;
  };
  if (size > total) await restart();
  return {
    path,
    size: () => size,
    async append(bytes) {
      try {
        for (let at = 0; at < bytes.length; ) {
          const { bytesWritten } = await file.write(bytes, at);
          hash.update(bytes.subarray(at, at + bytesWritten));
          at += bytesWritten;
          size += bytesWritten;
        }
      } catch (error) {
        throw notWritable(path, error, cacheHelp);
      }
    },
    restart,
    hex: () => hash.hex(),
    async become() {
      try {
        await file.sync();
        await file.close();
        await rename(path, blob);
      } catch (error) {
        throw notWritable(blob, error, cacheHelp);
      }
    },
    async discard() {
      await file.close();
      await rm(path, { force: true });
    },
    close: () => file.close(),
  };
};

const suffix = ".part";
const own = (): string => `${hostname()}.${process.pid}`;

/** Takes over the largest partial file that no process is writing to; of other machines, one that has not grown for a day. */
const adopt = async (blob: string, path: string): Promise<void> => {
  const left: { readonly part: string; readonly size: number }[] = [];
  for (const name of await readdir(dirname(blob))) {
    const [, of, host, owner] = /^([^.]+)\.(.+)\.(\d+)\.part$/.exec(name) ?? [];
    const part = join(dirname(blob), name);
    if (of !== basename(blob) || part === path) continue;
    // Other processes finish theirs at any time.
    const found = await stat(part).catch(() => undefined);
    if (found === undefined) continue;
    const isLeft = host === hostname() ? hasEnded(Number(owner)) : Date.now() - found.mtimeMs > 86_400_000;
    if (isLeft) left.push({ part, size: found.size });
  }
  const [largest, ...others] = left.toSorted((a, b) => b.size - a.size);
  if (largest !== undefined) await rename(largest.part, path);
  for (const { part } of others) await rm(part, { force: true });
};
