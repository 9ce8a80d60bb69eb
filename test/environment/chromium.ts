import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { promisify } from "node:util";

const exec = promisify(execFile);
const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Path of a Chromium: `$TRITYPE_CHROMIUM`, or where the system has it. Root in a Debian (a container, CI) gets Debian's installed,
 * about 250 MB; on anybody's own machine nothing is installed unasked.
 */
export const chromiumPath = async (): Promise<string> => {
  const found = process.env["TRITYPE_CHROMIUM"] ?? (await firstThere());
  if (found !== undefined) return found;
  if (process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    await exec("apt-get", ["update", "-qq"], { env });
    await exec("apt-get", ["install", "-qq", "-y", "--no-install-recommends", "chromium"], { env });
  }
  const installed = await firstThere();
  if (installed !== undefined) return installed;
  throw new Error(
    "there is no Chromium: install one (Debian: apt-get install chromium) or set TRITYPE_CHROMIUM",
  );
};

const firstThere = async (): Promise<string | undefined> => {
  for (const path of usual)
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  return undefined;
};
