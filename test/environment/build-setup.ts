import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const builds = globalThis as { tritypeBuild?: Promise<void> };

/** Builds the packages once for all projects of a run; takes about a second if nothing has changed. */
export const setup = (): Promise<void> => (builds.tritypeBuild ??= build());

const build = async (): Promise<void> => {
  const node = async (...command: readonly string[]): Promise<unknown> =>
    await promisify(execFile)(process.execPath, command, { cwd: root }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`the packages do not build:\n${stdout}${stderr}`);
      },
    );
  await node("node_modules/typescript-7/bin/tsc", "-b", "packages/tsconfig.json");
  await node("test/workspace/bundle-packages.mjs");
};
