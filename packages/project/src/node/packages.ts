import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { attempt } from "@tritype/core";
import type { Bundled, InstalledPackage, PackageOf } from "./bundle-task.ts";

interface PackageJson {
  readonly version?: unknown;
  readonly license?: unknown;
  readonly licenses?: unknown;
  readonly gypfile?: unknown;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The packages of files; each is read once. Undefined for a file outside `node_modules`. */
export const createPackages = (): PackageOf => {
  const known = new Map<string, InstalledPackage>();
  return (path) => {
    const folder = packageFolder(path);
    if (folder === undefined) return undefined;
    const found = known.get(folder) ?? readPackage(folder);
    known.set(folder, found);
    return found;
  };
};

/** The packages without duplicates, sorted by name and version. */
export const sortedPackages = (packages: readonly InstalledPackage[]): readonly InstalledPackage[] => {
  const keyOf = ({ name, version }: InstalledPackage): string => `${name}\n${version}`;
  const byKey = new Map(packages.map((found) => [keyOf(found), found]));
  return [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? []);
};

/** The packages with native addons that a bundle imports. */
export const nativePackages = (
  { imports, required, made }: Bundled,
  packageOf: PackageOf,
): readonly InstalledPackage[] => {
  const written = new Set([...(made?.external ?? []), ...required.map((call) => call.written)]);
  return sortedPackages(
    imports.flatMap((found) => {
      const owner = found.to !== undefined && written.has(found.written) ? packageOf(found.to) : undefined;
      return owner?.isNative === true ? [owner] : [];
    }),
  );
};

/** The folder of the innermost package that a file belongs to. */
const packageFolder = (path: string): string | undefined => {
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  const name = parts[at + 1];
  if (at < 0 || name === undefined) return undefined;
  return parts.slice(0, at + (name.startsWith("@") ? 3 : 2)).join(sep);
};

const readPackage = (folder: string): InstalledPackage => {
  const parts = folder.split(sep);
  const json = readJson(join(folder, "package.json"));
  return {
    name: parts.slice(parts.lastIndexOf("node_modules") + 1).join("/"),
    version: typeof json.version === "string" ? json.version : "0.0.0",
    licence: licenceOf(json) ?? filesOf(folder).find((file) => /^(?:licen[cs]e|copying)\b/i.test(file)),
    folder,
    isNative: isNative(folder, json),
  };
};

const readJson = (path: string): PackageJson =>
  attempt(() => JSON.parse(readFileSync(path, "utf8")) as PackageJson) ?? {};

/** `license` as npm defines it, or one of its older forms. */
const licenceOf = ({ license, licenses }: PackageJson): string | undefined => {
  const names = [license, licenses].flat().flatMap((entry: unknown): readonly string[] => {
    const name = typeof entry === "object" && entry !== null && "type" in entry ? entry.type : entry;
    return typeof name === "string" && name !== "" ? [name] : [];
  });
  return names.length === 0 ? undefined : names.length === 1 ? names[0] : `(${names.join(" OR ")})`;
};

/** Whether node-gyp builds an addon, the package contains one, or there is a separate package for each platform. */
const isNative = (folder: string, { gypfile, optionalDependencies = {} }: PackageJson): boolean =>
  gypfile === true ||
  Object.keys(optionalDependencies).some((name) => platform.test(name)) ||
  hasAddon(folder);

const platform =
  /(?:^|[-/])(?:linux|linuxmusl|darwin|win32|android|freebsd)-(?:x64|ia32|arm64|arm|universal)\b/;

const hasAddon = (folder: string): boolean =>
  entriesOf(folder).some((entry) =>
    entry.isDirectory()
      ? entry.name !== "node_modules" && hasAddon(join(folder, entry.name))
      : entry.name === "binding.gyp" || entry.name.endsWith(".node"),
  );

const entriesOf = (folder: string): readonly import("node:fs").Dirent[] =>
  attempt(() =>
    readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ) ?? [];

const filesOf = (folder: string): readonly string[] =>
  entriesOf(folder).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
