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

/** The lock file of another package manager that fills the project's node_modules; undefined if npm does. */
export const foreignLockOf = (host: Pick<CompilerHost, "readFile">): string | undefined => {
  for (const up of above) {
    const foreign = foreignLocks.find((name) => host.readFile(up + name) !== undefined);
    if (foreign !== undefined || host.readFile(up + npmLockFile) !== undefined) return foreign;
  }
  return undefined;
};

const foreignLocks = ["pnpm-lock.yaml", "yarn.lock", "bun.lock"] as const;

/** The reason why npm cannot install exactly a package from the lock file, and what to do. */
export interface LockProblem {
  readonly why: string;
  readonly help: string;
}

/** The problem with a package in the lock file; undefined if npm can install it from there. */
export const lockProblem = (lock: NpmLock | undefined, wanted: NativePackage): LockProblem | undefined => {
  const install = `\`npm install ${wanted.name}@${wanted.version}\``;
  const help = `run ${install} in the project's root, which writes ${npmLockFile} there, or in the root of its npm workspace`;
  if (lock === undefined) return { why: `the project has no ${npmLockFile} of npm 7 or later`, help };
  if (lockedPath(lock, wanted) !== undefined) {
    const [missing] = missingPackages(lock, wanted);
    return missing === undefined
      ? undefined
      : {
          why: `${npmLockFile} lacks ${missing}, a package that it needs there`,
          help: `delete ${npmLockFile} and node_modules, and run \`npm install\`: npm may leave out packages for other platforms while node_modules exists`,
        };
  }
  const versions = pathsOf(lock, wanted.name).map((path) => lock[path]?.version ?? "another version");
  const why = versions.length === 0 ? "does not list it" : `has ${[...new Set(versions)].join(" and ")}`;
  return { why: `${npmLockFile} ${why}`, help };
};

/**
 * Dependencies that the server needs and that the lock file lacks, so that `npm ci` would fail. Some versions of npm
 * leave out packages of other platforms: https://github.com/npm/cli/issues/4828.
 */
const missingPackages = (lock: NpmLock, wanted: NativePackage): readonly string[] =>
  [...neededPackages(lock, [wanted]).values()].flatMap((from) => {
    const { dependencies = {}, optionalDependencies = {} } = lock[from] ?? {};
    return Object.keys({ ...optionalDependencies, ...dependencies }).filter(
      (name) =>
        (!(name in optionalDependencies) || serverPlatform.test(name)) &&
        resolveIn((one) => lock[one] !== undefined, from, name) === undefined,
    );
  });

const serverPlatform = /(?:^|[-/])linux-(?:x64|arm64)(?:$|-gnu$)/;

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
