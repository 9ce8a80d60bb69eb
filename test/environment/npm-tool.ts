import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeOnce } from "./make-once.ts";

/** Installs a package from npm once, into its own folder in `$TRITYPE_CACHE`, and returns the folder of its programs. */
export const npmTool = async (name: string, version: string): Promise<string> => {
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `${name}-${version}`);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  await makeOnce(folder, async (staging) => {
    await promisify(execFile)("npm", ["install", "--prefix", staging, ...options, `${name}@${version}`]);
  });
  return join(folder, "node_modules/.bin");
};
