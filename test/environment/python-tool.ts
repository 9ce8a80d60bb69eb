import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeOnce } from "./make-once.ts";

const exec = promisify(execFile);

/**
 * A tool from PyPI in its own folder in `$TRITYPE_CACHE`, installed once; returns the folder.
 * @param others Further packages, such as "flask==3.1.2".
 */
export const pythonTool = async (
  name: string,
  version: string,
  others: readonly string[] = [],
): Promise<string> => {
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `${name}-${version}`);
  await makeOnce(folder, async (staging) => {
    const install = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--target", staging];
    await exec("python3", [...install, `${name}==${version}`, ...others]);
  });
  return folder;
};
