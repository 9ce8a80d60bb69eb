import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeOnce } from "./make-once.ts";

const version = "0.35.5";

/** A project with a package that has native code. */
export interface SharpProject {
  /** Contains `package.json`, `package-lock.json` and `node_modules`, all written by npm. */
  readonly folder: string;
  /** A cache of npm from which it can be installed again without the network. */
  readonly cache: string;
}

/** Installs `sharp` from npm once, as a user would (20 MB). */
export const sharpProject = async (): Promise<SharpProject> => {
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `sharp-project-${version}`);
  await makeOnce(folder, async (staging) => {
    await writeFile(join(staging, "package.json"), '{ "private": true, "type": "module" }');
    // With the address of each package, it is found in the cache.
    const options = [
      "--no-omit-lockfile-registry-resolved",
      "--no-audit",
      "--no-fund",
      "--cache",
      join(staging, cacheName),
    ];
    await promisify(execFile)("npm", ["install", ...options, `sharp@${version}`], { cwd: staging });
  });
  return { folder, cache: join(folder, cacheName) };
};

const cacheName = "npm-cache";
