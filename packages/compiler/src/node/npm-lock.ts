import { z } from "zod";
import type { CompilerHost } from "../compiler-host.ts";
import { parseJson } from "../parse-json.ts";
import type { NativePackage } from "./bundle.ts";

/** npm's lock file, in the project's root. */
export const npmLockFile = "package-lock.json";

/** The packages of npm's lock file by their path: `node_modules/a`, `node_modules/a/node_modules/b`. */
export type NpmLock = Readonly<Record<string, LockedPackage>>;

/** An entry of the lock file; npm reads its other fields. */
interface LockedPackage {
  readonly version?: string | undefined;
  /** Whether the entry is a folder in the project, such as a workspace. */
  readonly link?: boolean | undefined;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
}
type Versions = Readonly<Record<string, string>> | undefined;

const versions = z.record(z.string(), z.string()).optional();
const lockedPackage: z.ZodType<LockedPackage> = z.looseObject({
  version: z.string().optional(),
  link: z.boolean().optional(),
  dependencies: versions,
  optionalDependencies: versions,
  peerDependencies: versions,
});
const lockFile: z.ZodType<{ readonly packages: NpmLock }> = z.looseObject({
  packages: z.record(z.string(), lockedPackage),
});

/** The project's lock file; undefined if there is none, or if it was written by an npm version before 7. */
export const readNpmLock = (host: Pick<CompilerHost, "readFile">): NpmLock | undefined => {
  const read = lockFile.safeParse(parseJson(host.readFile(npmLockFile)));
  return read.success ? read.data.packages : undefined;
};

/** The reason why npm cannot install exactly this package from the lock file; undefined if it can. */
export const whyNotLocked = (
  lock: NpmLock | undefined,
  { name, version }: NativePackage,
): string | undefined => {
  if (lock === undefined) return `the project has no ${npmLockFile} of npm 7 or later`;
  const locked = lock[`node_modules/${name}`];
  if (locked === undefined || locked.link === true) return `${npmLockFile} does not list it`;
  return locked.version === version ? undefined : `${npmLockFile} has ${locked.version ?? "another version"}`;
};

/**
 * `package.json` and `package-lock.json` for `npm ci`, with only these packages and their dependencies. @param lock A
 * lock file that lists all of them.
 */
export const npmFiles = (
  lock: NpmLock,
  wanted: readonly NativePackage[],
): { readonly packageJson: string; readonly packageLock: string } => {
  const dependencies = Object.fromEntries(
    wanted.map(({ name, version }) => [name, version] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const needed = neededPaths(lock, Object.keys(dependencies));
  const packages = Object.fromEntries([
    ["", { dependencies }],
    ...needed.map(
      (path) => [path, withoutFlags(lock[path] ?? {}, path.slice(folder.length) in dependencies)] as const,
    ),
  ]);
  return {
    packageJson: json({ private: true, dependencies }),
    packageLock: json({ lockfileVersion: 3, requires: true, packages }),
  };
};

const folder = "node_modules/";

/** The paths of packages and all of their dependencies, sorted. */
const neededPaths = (lock: NpmLock, names: readonly string[]): readonly string[] => {
  const paths = new Set(names.map((name) => `${folder}${name}`));
  for (const path of paths) {
    const { dependencies, optionalDependencies, peerDependencies } = lock[path] ?? {};
    for (const name of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      const found = resolveIn(lock, path, name);
      if (found !== undefined) paths.add(found);
    }
  }
  return [...paths].toSorted();
};

/** The location at which Node finds a package that is imported from the package at `path`. */
const resolveIn = (lock: NpmLock, path: string, name: string): string | undefined => {
  for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf(`/${folder}`)))) {
    const candidate = `${from === "" ? "" : `${from}/`}${folder}${name}`;
    if (lock[candidate] !== undefined) return candidate;
    if (from === "") return undefined;
  }
};

/** The entry without the flags that state why the project has it, because `npm ci --omit=dev` must install it. */
const withoutFlags = (locked: LockedPackage, isWanted: boolean): object => {
  const dropped = ["dev", "devOptional", "peer", ...(isWanted ? ["optional"] : [])];
  return Object.fromEntries(Object.entries(locked).filter(([field]) => !dropped.includes(field)));
};

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
