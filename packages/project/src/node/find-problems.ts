import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Span } from "@tritype/core";
import type { Message } from "esbuild";
import { messageDiagnostic, spanOf } from "../load/load-failure.ts";
import { spanAt } from "../span-at.ts";
import { fromRoot, nameInBundle } from "./finish-bundle.ts";
import {
  addonProblem,
  dynamicProblem,
  fileProblem,
  type NodeProblem,
  packageProblem,
  requireProblem,
  sourceProblem,
  versionsProblem,
} from "./node-problem.ts";
import { nativePackages } from "./packages.ts";
import { type BundleOrigins, bundleOrigins } from "./bundle-origins.ts";
import type { Bundled, BundleTask, MadeBundle } from "./bundle-task.ts";
import { filesBeside, importPlace } from "./source-places.ts";

type Task = Omit<BundleTask, "textOf">;

/** The reasons, found in its sources, why a bundle would fail on the server. */
export const findProblems = async (
  task: Task,
  bundled: Bundled,
  at: Span,
): Promise<readonly NodeProblem[]> => {
  const { made } = bundled;
  const placeOf = importPlaces(task, bundled, at);
  if (made === undefined)
    return firstOfEach(bundled.messages.map((message) => failureProblem(task, message, placeOf, at)));
  const origins = bundleOrigins(task.root, made);
  return firstOfEach([
    ...(await dynamicRequires(task, bundled, made, placeOf)),
    ...dynamicImports(task, made, origins),
    ...readFiles(task, made, origins, placeOf),
    ...requireProblems(task, bundled, placeOf),
    ...versionProblems(task, bundled, placeOf),
  ]);
};

/** The first problem of each imported package, and all other problems without duplicates. */
const firstOfEach = (problems: readonly NodeProblem[]): readonly NodeProblem[] => {
  const keyOf = (problem: NodeProblem): string =>
    JSON.stringify(problem.code === "node/package" ? problem.at : problem);
  return [
    ...new Map(problems.toReversed().map((problem) => [keyOf(problem), problem])).values(),
  ].toReversed();
};

/** The position at which the author imports a file's package, directly or through other packages. */
type ImportPlace = (path: string) => Span;

const importPlaces =
  ({ root, packageOf }: Task, { imports }: Bundled, otherwise: Span): ImportPlace =>
  (path) => {
    const folders = new Set([packageOf(path)?.folder]);
    for (const folder of folders)
      for (const { from, written, to } of imports) {
        if (to === undefined || packageOf(to)?.folder !== folder) continue;
        const importer = packageOf(from);
        if (importer === undefined) return importPlace(root, from, written);
        folders.add(importer.folder);
      }
    return otherwise;
  };

const failureProblem = (
  { root, packageOf }: Task,
  message: Message,
  placeOf: ImportPlace,
  at: Span,
): NodeProblem => {
  const path = resolve(root, message.location?.file ?? "");
  const owner = message.location === null ? undefined : packageOf(path);
  const diagnostic = messageDiagnostic(root, message);
  if (owner !== undefined) return packageProblem(owner.name, diagnostic.message, placeOf(path));
  const addon = /^No loader is configured for "\.node" files: (.+)/.exec(message.text)?.[1];
  if (addon !== undefined) return addonProblem(fromRoot(root, addon), diagnostic.labels[0]?.span ?? at);
  return sourceProblem(diagnostic, at);
};

/** `require(name)`. A package that catches the error also works without the module. */
const dynamicRequires = async (
  { root, packageOf }: Task,
  { messages }: Bundled,
  { contained }: MadeBundle,
  placeOf: ImportPlace,
): Promise<readonly NodeProblem[]> => {
  const calls = messages.flatMap(({ id, location }) =>
    id === "unsupported-require-call" && location !== null
      ? [{ ...location, path: resolve(root, location.file) }]
      : [],
  );
  if (calls.length === 0) return [];
  const { isCaught } = await import("./is-caught.ts");
  return calls
    .filter((call) => contained.includes(call.path) && !isCaught(call.path, call))
    .map(({ path, ...location }) => {
      const owner = packageOf(path);
      const { file, line } = location;
      return owner === undefined
        ? dynamicProblem("require(…)", { ...spanOf(location), file: fromRoot(root, path) })
        : packageProblem(
            owner.name,
            `it loads modules by computed names (${nameInBundle(file)}:${line})`,
            placeOf(path),
          );
    });
};

/** `import(name)` in the author's files; found in the bundle, which no longer contains comments or unneeded code. */
const dynamicImports = (
  { root, packageOf }: Task,
  { text }: MadeBundle,
  origins: BundleOrigins,
): readonly NodeProblem[] =>
  [...text.matchAll(/\bimport\((?!["']|`(?:node:|[^`$]*`))/g)].flatMap(({ index }) => {
    const origin = origins.of(index);
    if (origin === undefined) return [];
    const { path, line, column } = origin;
    const isImport = readFileSync(path, "utf8").split("\n")[line]?.startsWith("import", column) === true;
    return isImport && packageOf(path) === undefined
      ? [dynamicProblem("import(…)", { file: fromRoot(root, path), line: line + 1, column: column + 1 })]
      : [];
  });

/** Files that a source reads from its own folder, in code that the bundle contains. */
const readFiles = (
  { root, packageOf }: Task,
  { contained }: MadeBundle,
  origins: BundleOrigins,
  placeOf: ImportPlace,
): readonly NodeProblem[] =>
  contained.flatMap((path) => {
    if (!/\.[cm]?[jt]sx?$/.test(path)) return [];
    const source = readFileSync(path, "utf8");
    const owner = packageOf(path);
    const read = filesBeside(path, source).filter(({ path: written, offset }) =>
      origins.has({ path, source, written, offset }),
    );
    if (owner === undefined)
      return read.map((file) => fileProblem(file.path, spanAt(source, file.offset, fromRoot(root, path))));
    const first = read.find((file) => !isWorker(file.path));
    return first === undefined
      ? []
      : [packageProblem(owner.name, `it reads its own file "${first.path}" from disk`, placeOf(path))];
  });

/**
 * Whether a package starts this file as a worker thread, as loggers and pools do on request. No function may start one,
 * and the error says so; the rest of the package works.
 */
const isWorker = (path: string): boolean => /(?:^|[-_./])worker[\w-]*\.[cm]?js$/.test(path);

/** Modules that `createRequire` loads, except packages that npm installs on the server for their addons. */
const requireProblems = (
  { root, packageOf }: Task,
  { required }: Bundled,
  placeOf: ImportPlace,
): readonly NodeProblem[] =>
  required
    .filter(({ to }) => to === undefined || packageOf(to)?.isNative !== true)
    .map(({ from, written, offset }) => {
      const owner = packageOf(from);
      return owner === undefined
        ? requireProblem(written, spanAt(readFileSync(from, "utf8"), offset, fromRoot(root, from)))
        : packageProblem(owner.name, `it loads "${written}" with createRequire`, placeOf(from));
    });

const versionProblems = (
  { packageOf }: Task,
  bundled: Bundled,
  placeOf: ImportPlace,
): readonly NodeProblem[] => {
  const native = nativePackages(bundled, packageOf);
  return [...new Set(native.map(({ name }) => name))].flatMap((name) => {
    const same = native.filter((found) => found.name === name);
    const [first] = same;
    return first === undefined || same.length === 1
      ? []
      : [
          versionsProblem(
            name,
            same.map(({ version }) => version),
            placeOf(`${first.folder}/package.json`),
          ),
        ];
  });
};
