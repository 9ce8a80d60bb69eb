import { access } from "node:fs/promises";

const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Path of Chromium: `$TRITYPE_CHROMIUM`, or the installed one. */
export const chromiumPath = async (): Promise<string> => {
  const found = process.env["TRITYPE_CHROMIUM"] ?? (await firstThere());
  if (found !== undefined) return found;
  throw new Error(
    "there is no Chromium: `node test/workspace/system-packages.mjs` installs Debian's, or set TRITYPE_CHROMIUM",
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
