import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { bundlePackages } from "../workspace/bundle-packages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const builds = globalThis as { tritypeBuild?: Promise<void> };

/** Builds the packages once for all projects of a run; takes about a second if nothing has changed. */
export const setup = (): Promise<void> => (builds.tritypeBuild ??= build());

const build = async (): Promise<void> => {
  const command = ["node_modules/typescript/bin/tsc", "-b", "packages/tsconfig.json"];
  await promisify(execFile)(process.execPath, command, { cwd: root }).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(`the packages do not build:\n${stdout}`);
    },
  );
  await bundlePackages();
};
