import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { attempt } from "@tritype/core";
import { cacheFolderOf, forgetOldest, writeCached } from "../project-cache.ts";

/**
 * Loads TypeScript with the code that V8 compiled in an earlier build, if Node itself does not cache compiled code.
 * @returns A function that caches the compiled code, including all functions that have run so far.
 */
export const loadTypeScript = (root: string): (() => void) => {
  const folder = cacheFolderOf(root);
  const here = createRequire(import.meta.url);
  const morph = createRequire(here.resolve("@tritype/translator/package.json")).resolve("ts-morph");
  const isLoaded = here.cache[morph] !== undefined;
  if (isLoaded || folder === undefined || "enableCompileCache" in Module) return () => {};
  const common = createRequire(morph).resolve("@ts-morph/common");
  const paths = [join(dirname(common), "typescript.js"), common, morph];
  const loaded = paths.filter(existsSync).map((path) => load(path, folder));
  return () => {
    for (const keep of loaded) keep();
    forgetOldest(folder, name, 3 * paths.length);
  };
};

const name = "compiled";

/** Runs a CommonJS module and registers it, so that later calls of `require` find it. */
const load = (path: string, folder: string): (() => void) => {
  const { size, mtimeMs } = statSync(path);
  const { execArgv, version } = process;
  const key = JSON.stringify([path, size, mtimeMs, version, execArgv]);
  const kept = join(folder, `${name}-${hashOf(key).subarray(0, 12).toString("hex")}.bin`);
  const cachedData = readKept(kept);
  const text = readFileSync(path, "utf8");
  const script = new Script(Module.wrap(text), {
    filename: path,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const require = createRequire(path);
  const module = Object.assign(new Module(path), { filename: path });
  const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
  run.call(module.exports, module.exports, require, module, path, dirname(path));
  module.loaded = true;
  require.cache[path] = module;
  return () => {
    if (cachedData !== undefined && script.cachedDataRejected !== true) return;
    const code = script.createCachedData();
    writeCached(kept, Buffer.concat([hashOf(code), code]));
  };
};

/** V8 does not detect all damage to a cache. */
const readKept = (path: string): Buffer | undefined =>
  attempt(() => {
    const content = readFileSync(path);
    const code = content.subarray(hashLength);
    return hashOf(code).equals(content.subarray(0, hashLength)) ? code : undefined;
  });

const hashLength = 32;
const hashOf = (content: string | Uint8Array): Buffer => createHash("sha256").update(content).digest();
