import { encodeUtf8 } from "@tritype/core";
import { expect, test } from "vitest";
import { foreignLockOf, lockProblem, type NpmLock, npmFiles, readNpmLock } from "./npm-lock.ts";

const lockOf = (text: string | undefined): NpmLock | undefined =>
  readNpmLock({ readFile: () => (text === undefined ? undefined : encodeUtf8(text)) });

const lock: NpmLock = {
  "": { dependencies: { blur: "^1.0.0", tritype: "*" } },
  "node_modules/blur": {
    version: "1.0.0",
    dependencies: { color: "^2.0.0" },
    optionalDependencies: { "@blur/linux-x64": "1.0.0", "@blur/win32-x64": "1.0.0" },
    peerDependencies: { absent: "*" },
  },
  "node_modules/blur/node_modules/color": { version: "2.1.0", dependencies: { names: "1" } },
  "node_modules/color": { version: "1.0.0" },
  "node_modules/names": { version: "1.0.0" },
  "node_modules/@blur/linux-x64": { version: "1.0.0" },
  "node_modules/tritype": { version: "1.0.0", dependencies: { names: "1" } },
  "node_modules/shapes": { link: true },
};

test.each([
  ["a missing lock file", undefined],
  ["a lock file that is not JSON", "{"],
  ["a lock file of npm 6", JSON.stringify({ lockfileVersion: 1, dependencies: {} })],
])("%s has no packages", (_, text) => {
  expect(lockProblem(lockOf(text), { name: "blur", version: "1.0.0" })?.why).toBe(
    "the project has no package-lock.json of npm 7 or later",
  );
});

test.each([
  ["blur", "1.0.0", undefined],
  ["blur", "1.1.0", "package-lock.json has 1.0.0"],
  ["sharpen", "1.0.0", "package-lock.json does not list it"],
  ["shapes", "1.0.0", "package-lock.json does not list it"],
])("%s %s", (name, version, why) => {
  expect(
    lockProblem(lockOf(JSON.stringify({ lockfileVersion: 3, packages: lock })), { name, version })?.why,
  ).toBe(why);
});

test.each([
  ["node_modules/@blur/linux-x64", "@blur/linux-x64"],
  ["node_modules/names", "names"],
])("a lock file without %s, which the server needs, is incomplete", (path, missing) => {
  const { [path]: _, ...rest } = lock;
  expect(lockProblem(rest, { name: "blur", version: "1.0.0" })?.why).toBe(
    `package-lock.json lacks ${missing}, a package that it needs there`,
  );
});

test.each([
  [["package-lock.json"], undefined],
  [["pnpm-lock.yaml", "package-lock.json"], "pnpm-lock.yaml"],
  [["../../yarn.lock"], "yarn.lock"],
  [["package-lock.json", "../pnpm-lock.yaml"], undefined],
  [[], undefined],
])("of %j, another package manager has written %s", (files, foreign) => {
  expect(foreignLockOf({ readFile: (path) => (files.includes(path) ? encodeUtf8("") : undefined) })).toBe(
    foreign,
  );
});

test("npm installs only the package and the modules that Node resolves from it", () => {
  const { packageJson, packageLock } = npmFiles(lock, [{ name: "blur", version: "1.0.0" }]);
  expect(JSON.parse(packageJson)).toEqual({ private: true, dependencies: { blur: "1.0.0" } });
  const { packages } = JSON.parse(packageLock) as { packages: Readonly<Record<string, object>> };
  expect(Object.keys(packages)).toEqual([
    "",
    "node_modules/@blur/linux-x64",
    "node_modules/blur",
    "node_modules/blur/node_modules/color",
    "node_modules/names",
  ]);
});

test("a package that the project only needs for development is installed, and only platform packages are optional", () => {
  const flags = { dev: true, devOptional: true, optional: true, integrity: "sha512-x" };
  const locked = { version: "1.0.0", ...flags };
  const { packageLock } = npmFiles(
    { "node_modules/a": { ...locked, optionalDependencies: { b: "1" } }, "node_modules/b": locked },
    [{ name: "a", version: "1.0.0" }],
  );
  const { packages } = JSON.parse(packageLock) as { packages: object };
  expect(packages).toEqual({
    "": { dependencies: { a: "1.0.0" } },
    "node_modules/a": { version: "1.0.0", integrity: "sha512-x", optionalDependencies: { b: "1" } },
    "node_modules/b": { version: "1.0.0", optional: true, integrity: "sha512-x" },
  });
});

test("the lock file of a workspace is above its members, which may have their own versions", () => {
  const packages: NpmLock = {
    "": {},
    "packages/app": { version: "1.0.0", dependencies: { blur: "2" } },
    "node_modules/app": { link: true },
    "node_modules/blur": { version: "1.0.0" },
    "node_modules/color": { version: "1.0.0", dependencies: { names: "1" } },
    "node_modules/names": { version: "1.0.0" },
    "packages/app/node_modules/blur": { version: "2.0.0", dependencies: { color: "1", names: "2" } },
    "packages/app/node_modules/names": { version: "2.0.0" },
  };
  const read = readNpmLock({
    readFile: (path) =>
      path === "../../package-lock.json"
        ? encodeUtf8(JSON.stringify({ lockfileVersion: 3, packages }))
        : undefined,
  });
  expect(read).toEqual(packages);
  expect(lockProblem(read, { name: "blur", version: "2.0.0" })).toBeUndefined();
  expect(lockProblem(read, { name: "blur", version: "3.0.0" })?.why).toBe(
    "package-lock.json has 1.0.0 and 2.0.0",
  );
  expect(lockProblem(read, { name: "app", version: "1.0.0" })?.why).toBe(
    "package-lock.json does not list it",
  );
  const { packageLock } = npmFiles(packages, [{ name: "blur", version: "2.0.0" }]);
  const made = (JSON.parse(packageLock) as { packages: NpmLock }).packages;
  expect(Object.entries(made).map(([path, { version }]) => [path, version])).toEqual([
    ["", undefined],
    ["node_modules/blur", "2.0.0"],
    ["node_modules/color", "1.0.0"],
    ["node_modules/color/node_modules/names", "1.0.0"],
    ["node_modules/names", "2.0.0"],
  ]);
});
