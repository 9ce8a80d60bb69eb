import { readFileSync } from "node:fs";

/** Version of Tritype. */
export const ownVersion = (): string => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  return manifest.version;
};
