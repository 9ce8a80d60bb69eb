import { createHash } from "node:crypto";

/** Twelve hexadecimal digits for a folder's name. */
export function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}
