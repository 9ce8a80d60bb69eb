import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const above = new URL("../../../", import.meta.url);

/** The clone of the repository that this package runs from, ending in a separator; undefined if it comes from npm. */
export const clone: string | undefined = existsSync(new URL("packages/create-tritype", above))
  ? fileURLToPath(above)
  : undefined;
