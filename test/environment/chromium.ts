import { access } from "node:fs/promises";
import { type Browser, chromium } from "playwright-core";

/** The first one has no user interface, and needs less processor time. */
const usual = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Starts Chromium. @param args Further arguments of its command line. */
export const startBrowser = async (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: await chromiumPath(), args: ["--no-sandbox", "--disable-gpu", ...args] });

/** Path of Chromium: `$TRITYPE_CHROMIUM`, or the installed one. */
const chromiumPath = async (): Promise<string> => {
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
