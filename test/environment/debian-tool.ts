import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeOnce } from "./make-once.ts";

const exec = promisify(execFile);

/** A program from Debian packages, and the folders of its libraries. */
export interface DebianTool {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The program on the PATH, or else from these Debian packages. */
export const debianTool = async (name: string, packages: readonly string[]): Promise<DebianTool> => {
  for (const folder of (process.env["PATH"] ?? "").split(":").concat("/usr/sbin"))
    if (existsSync(join(folder, name))) return { program: join(folder, name), env: process.env };
  const root = await unpackedPackages(packages);
  const program = ["usr/bin", "usr/sbin"]
    .map((bin) => join(root, bin, name))
    .find((path) => existsSync(path));
  if (program === undefined) throw new Error(`${packages.join(", ")}: there is no ${name}`);
  return { program, env: { ...process.env, LD_LIBRARY_PATH: join(root, debianLibraries) } };
};

/** The folder of libraries in a Debian system. */
export const debianLibraries = "usr/lib/x86_64-linux-gnu";

/**
 * The folder with the files of these Debian packages. They are unpacked once in `$TRITYPE_CACHE` and not installed, because
 * that would start their services.
 */
export const unpackedPackages = async (packages: readonly string[]): Promise<string> => {
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), `debian-${packages.join("-")}`);
  await makeOnce(folder, async (staging) => {
    const download = () => exec("apt-get", ["download", "-qq", ...packages], { cwd: staging });
    // A new machine has no package lists yet.
    await download().catch(async () => {
      await exec("apt-get", ["update", "-qq"]);
      await download();
    });
    for (const file of readdirSync(staging).filter((one) => one.endsWith(".deb")))
      await exec("dpkg-deb", ["--extract", file, "root"], { cwd: staging });
  });
  return join(folder, "root");
};
