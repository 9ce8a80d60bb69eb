import { createHash } from "node:crypto";

/** A short string that differs if the value differs. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
