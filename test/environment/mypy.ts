import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pythonWithNumpy } from "./python.ts";

const exec = promisify(execFile);
const version = "1.18.2";

/** Runs mypy, strict, on Python files with numpy's types; what it says. Installed once in `$TRITYPE_CACHE` (about 30 MB from PyPI). */
export const mypyStrict = async (
  files: readonly string[],
  options: { readonly cwd: string; readonly mypyPath: string },
): Promise<string> => {
  const python = await pythonWithNumpy();
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `mypy-${version}`);
  if (!existsSync(folder)) {
    const staging = `${folder}.${process.pid}.part`;
    await mkdir(staging, { recursive: true });
    const install = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--only-binary",
      ":all:",
      "--target",
      staging,
      `mypy==${version}`,
    ];
    await exec("python3", install);
    await rename(staging, folder).catch(() => rm(staging, { recursive: true, force: true }));
  }
  const env = { ...process.env, PYTHONPATH: folder, MYPYPATH: options.mypyPath };
  const ran = await exec(python, ["-m", "mypy", "--strict", "--no-incremental", ...files], {
    cwd: options.cwd,
    env,
  }).catch((failure: unknown) => failure as { readonly stdout: string; readonly stderr: string });
  return `${ran.stdout}${ran.stderr}`;
};
