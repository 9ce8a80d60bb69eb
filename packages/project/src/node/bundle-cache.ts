import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { attempt } from "@tritype/core";
import { translatingCode } from "../analyse/analyse-files.ts";
import { answerChecker, type FileAnswers, keepAnswers } from "../analyse/file-answers.ts";
import { openProjectCache } from "../project-cache.ts";
import { upwards } from "../upwards.ts";
import type { BundleContent } from "./bundled-function.ts";
import type { PackageImport } from "./bundle-task.ts";

interface CachedBundle {
  readonly content: BundleContent;
  /** The author's files that it depends on. */
  readonly inputs: readonly string[];
}

/** A bundle with the files and imports that it was built from. */
interface BundleSources extends CachedBundle {
  readonly read: readonly string[];
  readonly imports: readonly PackageImport[];
  /** The contents of files before they were read. */
  readonly before: FileAnswers;
}

interface BundleCache {
  /** Undefined if any file that the bundle was built from has changed. */
  readonly read: () => CachedBundle | undefined;
  /** Does nothing if a file was edited while the bundle was made. */
  readonly write: (bundle: BundleSources) => void;
}

const bundlingCode = (here: NodeJS.Require): readonly string[] => [
  here.resolve("esbuild/package.json"),
  ...translatingCode(here),
];

/** The cached bundle for one step. `request` is everything other than files that determines its content. */
export const openBundleCache = (root: string, request: readonly (string | number)[]): BundleCache => {
  const cache = openProjectCache(root, {
    name: "bundle",
    part: JSON.stringify(request),
    kept: 256,
    stampOf: bundlingCode,
  });
  return {
    read() {
      const kept = cache.read() as (CachedBundle & { readonly asked: FileAnswers }) | undefined;
      return kept !== undefined && answerChecker()(kept.asked) ? kept : undefined;
    },
    write({ content, inputs, read, imports, before }) {
      const asked = askAll(read, inputs, imports);
      if (answerChecker()(before)) cache.write({ content, inputs, asked });
    },
  };
};

/**
 * Everything that determines which modules a bundle contains: the contents of files and of the package.json
 * and tsconfig.json above them, names next to the author's files, and the locations of packages.
 */
const askAll = (
  read: readonly string[],
  inputs: readonly string[],
  imports: readonly PackageImport[],
): FileAnswers => {
  const { hear, answers } = keepAnswers();
  for (const path of read) hear("text", path);
  const folders = new Set(read.map((path) => dirname(path)));
  for (const folder of new Set(inputs.map((path) => dirname(path)))) hear("list", folder);
  for (const folder of new Set([...folders].flatMap(upwards))) {
    hear("text", join(folder, "package.json"));
    for (const config of withBases(join(folder, "tsconfig.json"))) hear("text", config);
  }
  for (const { from, written } of imports) {
    const name = written.split("/", written.startsWith("@") ? 2 : 1).join("/");
    for (const folder of upwards(dirname(from))) hear("link", join(folder, "node_modules", name));
  }
  return answers();
};

/**
 * A tsconfig.json and the files that it extends, which may be named without `.json`; packages that it extends only change with their
 * version.
 */
const withBases = (path: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
  if (seen.has(path)) return seen;
  seen.add(path);
  const bases = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/.exec(textOf(path))?.[1] ?? "";
  for (const [, base = ""] of bases.matchAll(/"([./][^"]*)"/g))
    for (const end of ["", ".json", "/tsconfig.json"]) withBases(resolve(dirname(path), base) + end, seen);
  return seen;
};

const textOf = (path: string): string => attempt(() => readFileSync(path, "utf8")) ?? "";
