import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);

/** Installs a tool from PyPI once, into its own folder in `$TRITYPE_CACHE`, and returns the folder. */
export const pythonTool = async (name: string, version: string): Promise<string> => {
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `${name}-${version}`);
  if (!existsSync(folder)) {
    const staging = `${folder}.${process.pid}.part`;
    await mkdir(staging, { recursive: true });
    const install = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--target", staging];
    await exec("python3", [...install, `${name}==${version}`]);
    await rename(staging, folder).catch(() => rm(staging, { recursive: true, force: true }));
  }
  return folder;
};
