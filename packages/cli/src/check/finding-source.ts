import { resolve } from "node:path";
import { decodeUtf8 } from "@tritype/core";
import type { ReadSource } from "../render-diagnostic.ts";
import { readRegularFile } from "./node-repository-host.ts";
import { pathBytes } from "./odd-names.ts";

const shownLimit = 8 * 2 ** 20;

/** Reads the files that findings point into; keeps the last one, as findings are sorted by file. */
export const findingSource = (cwd: string): ReadSource => {
  let last: { readonly file: string; readonly text: string | undefined } | undefined;
  return (file) => {
    if (last?.file !== file) {
      const bytes = readRegularFile(pathBytes(resolve(cwd, file)), shownLimit);
      last = { file, text: bytes && decodeUtf8(bytes) };
    }
    return last.text;
  };
};
