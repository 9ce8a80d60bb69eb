import { createHash } from "node:crypto";

/** A short text that differs if the value does. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
