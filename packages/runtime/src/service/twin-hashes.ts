import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * Why a twin must not replace a model's Python: the first file that has changed since the build; undefined if all are
 * unchanged.
 * @param folder The model's folder.
 * @param files Path in it → SHA-256.
 */
export const twinMismatch = async (
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<string | undefined> => {
  for (const [file, expected] of Object.entries(files)) {
    const path = resolve(folder, file);
    if (!path.startsWith(folder + sep)) return `${file} is outside of the model's folder`;
    const actual = await sha256(path).catch(() => undefined);
    if (actual === undefined) return `${file} is missing`;
    if (actual !== expected) return `${file} has changed since the build`;
  }
  return undefined;
};

const sha256 = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
};
