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
}

interface BundleCache {
  /** Undefined if any file that the bundle was built from has changed. */
  readonly read: () => CachedBundle | undefined;
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
    write: ({ content, inputs, read, imports }) =>
      cache.write({ content, inputs, asked: askAll(read, inputs, imports) }),
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

/** A tsconfig.json and the files that it extends; packages that it extends only change with their version. */
const withBases = (path: string): ReadonlySet<string> => {
  const found = new Set([path]);
  // The loop also visits the files that it adds.
  for (const one of found) {
    const bases = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/.exec(textOf(one))?.[1] ?? "";
    for (const [, base] of bases.matchAll(/"(\.[^"]*?)(?:\.json)?"/g))
      found.add(resolve(dirname(one), `${base}.json`));
  }
  return found;
};

const textOf = (path: string): string => attempt(() => readFileSync(path, "utf8")) ?? "";
