import { resolve } from "node:path";
import { decodeUtf8 } from "@tritype/core";
import type { ReadSource } from "@tritype/project/diagnostics";
import { pathBytes, readRegularFile } from "@tritype/runtime/host";
import type { CheckTargets } from "./check-targets.ts";
import { configLeaves } from "./run-check.ts";

const shownLimit = 8 * 2 ** 20;

/**
 * Reads the files that findings point to, except those outside their repository. Caches the last file, because findings are sorted
 * by file.
 */
export const findingSource = (cwd: string, { repositories, configs }: CheckTargets): ReadSource => {
  const nested = repositories.toSorted((a, b) => b.prefix.length - a.prefix.length);
  const isShown = (file: string): boolean => {
    if (configs.includes(file)) return !configLeaves(resolve(cwd, file));
    const around = nested.find(({ prefix }) => file.startsWith(prefix));
    return around !== undefined && around.host.leaves?.(file.slice(around.prefix.length)) !== true;
  };
  let last: { readonly file: string; readonly text: string | undefined } | undefined;
  return (file) => {
    if (last?.file !== file) {
      const bytes = isShown(file) ? readRegularFile(pathBytes(resolve(cwd, file)), shownLimit) : undefined;
      last = { file, text: bytes && decodeUtf8(bytes) };
    }
    return last.text;
  };
};
