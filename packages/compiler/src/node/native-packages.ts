import type { CompilerHost } from "../compiler-host.ts";
import type { EmittedModel } from "../emit/emitted-model.ts";
import { textFile, type TreeFile } from "../tree.ts";
import { npmFiles, npmLockFile, readNpmLock } from "./npm-lock.ts";

/** The packages that npm installs in the image: the files in the build's `npm` folder, and the version folders that need them. */
export interface NativePackages {
  readonly files: readonly (readonly [path: string, file: TreeFile])[];
  /** Version folders, relative to the repository. */
  readonly folders: readonly string[];
}

/** The native packages of all models, which share one installation. The step kind has checked that the lock file lists them. */
export const nativePackages = (
  models: readonly EmittedModel[],
  host: Pick<CompilerHost, "readFile">,
): NativePackages => {
  const users = models.filter(({ nativePackages: wanted = [] }) => wanted.length > 0);
  const lock = users.length === 0 ? undefined : readNpmLock(host);
  if (lock === undefined) return { files: [], folders: [] };
  const files = npmFiles(
    lock,
    users.flatMap(({ nativePackages: wanted = [] }) => wanted),
  );
  return {
    files: [
      ["npm/package.json", textFile(files.packageJson)],
      [`npm/${npmLockFile}`, textFile(files.packageLock)],
    ],
    folders: users.flatMap(({ name, versions }) =>
      [...versions.keys()].map((version) => `${name}/${version}`),
    ),
  };
};
