import { z } from "zod";
import type { CompilerHost } from "../compiler-host.ts";
import { parseJson } from "../parse-json.ts";
import type { NativePackage } from "./bundle.ts";

/** npm's lock file, in the root of the project or of its workspace. */
export const npmLockFile = "package-lock.json";

/**
 * The packages of npm's lock file by their path: `node_modules/a`, `node_modules/a/node_modules/b`, or
 * `packages/app/node_modules/a` in a workspace.
 */
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

/**
 * The lock file of the project, or of the npm workspace that contains it; undefined if there is none, or if it was
 * written by an npm version before 7.
 */
export const readNpmLock = (host: Pick<CompilerHost, "readFile">): NpmLock | undefined => {
  const root = above.find((up) => host.readFile(up + npmLockFile) !== undefined);
  const file = root === undefined ? undefined : host.readFile(root + npmLockFile);
  const read = lockFile.safeParse(parseJson(file));
  return read.success ? read.data.packages : undefined;
};

/** The project's root, and the folders that may be the root of its workspace, nearest first. */
const above: readonly string[] = Array.from({ length: 6 }, (_, levels) => "../".repeat(levels));

/** The reason why npm cannot install exactly this package from the lock file; undefined if it can. */
export const whyNotLocked = (lock: NpmLock | undefined, wanted: NativePackage): string | undefined => {
  if (lock === undefined) return `the project has no ${npmLockFile} of npm 7 or later`;
  if (lockedPath(lock, wanted) !== undefined) return undefined;
  const versions = pathsOf(lock, wanted.name).map((path) => lock[path]?.version ?? "another version");
  return versions.length === 0
    ? `${npmLockFile} does not list it`
    : `${npmLockFile} has ${[...new Set(versions)].join(" and ")}`;
};

/** The paths at which a package is installed, in some version, outermost first: each member of a workspace may have its own. */
const pathsOf = (lock: NpmLock, name: string): readonly string[] =>
  Object.keys(lock)
    .filter((path) => `/${path}`.endsWith(`/${folder}${name}`) && lock[path]?.link !== true)
    .toSorted((a, b) => a.length - b.length);

const lockedPath = (lock: NpmLock, { name, version }: NativePackage): string | undefined =>
  pathsOf(lock, name).find((path) => lock[path]?.version === version);

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
  const packages = Object.fromEntries([
    ["", { dependencies }],
    ...[...neededPackages(lock, wanted)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, from]) => [
        path,
        withoutFlags(lock[from] ?? {}, path.slice(folder.length) in dependencies),
      ]),
  ]);
  return {
    packageJson: json({ private: true, dependencies }),
    packageLock: json({ lockfileVersion: 3, requires: true, packages }),
  };
};

const folder = "node_modules/";

/** The packages and all of their dependencies: the path at which npm installs each → its path in the lock file. */
const neededPackages = (lock: NpmLock, wanted: readonly NativePackage[]): ReadonlyMap<string, string> => {
  const paths = new Map<string, string>(
    wanted.map((one) => [`${folder}${one.name}`, lockedPath(lock, one) ?? ""]),
  );
  for (const [path, from] of paths) {
    const { dependencies, optionalDependencies, peerDependencies } = lock[from] ?? {};
    for (const name of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      const found = resolveIn((one) => lock[one] !== undefined, from, name);
      const known = resolveIn((one) => paths.has(one), path, name);
      if (found === undefined || (known !== undefined && paths.get(known) === found)) continue;
      const isInside = known !== undefined || found.startsWith(`${from}/`);
      paths.set(`${isInside ? `${path}/` : ""}${folder}${name}`, found);
    }
  }
  return paths;
};

/** The location at which Node finds a package that is imported from the package at `path`. */
const resolveIn = (has: (path: string) => boolean, path: string, name: string): string | undefined => {
  for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf(`/${folder}`)))) {
    const candidate = `${from === "" ? "" : `${from}/`}${folder}${name}`;
    if (has(candidate)) return candidate;
    if (from === "") return undefined;
  }
};

/** The entry without the flags that state why the project has it, because `npm ci --omit=dev` must install it. */
const withoutFlags = (locked: LockedPackage, isWanted: boolean): object => {
  const dropped = ["dev", "devOptional", "peer", ...(isWanted ? ["optional"] : [])];
  return Object.fromEntries(Object.entries(locked).filter(([field]) => !dropped.includes(field)));
};

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
