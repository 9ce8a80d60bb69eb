import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../..", import.meta.url));

/** The clone of the repository that this package runs from, ending in a separator; undefined if it comes from npm. */
export const clone: string | undefined = existsSync(join(folder, "packages", "create-tritype"))
  ? folder
  : undefined;
