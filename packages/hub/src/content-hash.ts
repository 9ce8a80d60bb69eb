import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

/**
 * The hub's hash and size of a file: SHA-256 for a large file (LFS), otherwise the git blob id, a SHA-1 over its length
 * and bytes.
 */
export interface ContentHash {
  readonly kind: "sha256" | "git-sha1";
  /** Lower-case hexadecimal. */
  readonly hex: string;
}

/** An incremental hash of a file of `size` bytes. */
export interface GrowingHash {
  update(bytes: Uint8Array): void;
  hex(): string;
}

export const growingHash = (kind: ContentHash["kind"], size: number): GrowingHash => {
  const hash = createHash(kind === "sha256" ? "sha256" : "sha1");
  if (kind === "git-sha1") hash.update(`blob ${size}\0`);
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
};

/** Feeds a file to a hash. */
export const hashFile = async (path: string, hash: GrowingHash): Promise<void> => {
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
};

/** Whether a file has these bytes. False if it cannot be read. */
export const fileHas = async (path: string, { kind, hex }: ContentHash): Promise<boolean> => {
  try {
    const hash = growingHash(kind, (await stat(path)).size);
    await hashFile(path, hash);
    return hash.hex() === hex;
  } catch {
    return false;
  }
};
