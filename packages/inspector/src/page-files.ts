import { ownValue } from "@tritype/core";
import { readFileSync } from "node:fs";

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array;
}

const types: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
};
const read = new Map<string, PageFile>();

/** A file of the page by its name; it is read once. */
export const pageFile = (name: string): PageFile | undefined => {
  const type = ownValue(types, name);
  if (type === undefined) return undefined;
  // Tests run this module from `src`, but the page is only in `dist`.
  const folder = new URL("./page/", import.meta.url.replace("/src/", "/dist/"));
  const file = read.get(name) ?? { type, body: readFileSync(new URL(name, folder)) };
  read.set(name, file);
  return file;
};
