import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { resolve } from "node:path";
import type { Span } from "@tritype/core";
import type { Message } from "esbuild";
import { messageDiagnostic } from "../load/load-failure.ts";
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
import type { Bundled, BundleTask, MadeBundle } from "./bundle-task.ts";
import { filesBeside, importPlace, isCaught } from "./source-places.ts";

type Task = Omit<BundleTask, "textOf">;

/** The reasons, found in its sources, why a bundle would fail on the server. */
export const findProblems = async (
  task: Task,
  bundled: Bundled,
  at: Span,
): Promise<readonly NodeProblem[]> => {
  const { made } = bundled;
  const placeOf = importPlaces(task, bundled, at);
  const found =
    made === undefined
      ? bundled.messages.map((message) => failureProblem(task, message, placeOf, at))
      : [
          ...(await dynamicRequires(task, bundled, made, placeOf)),
          ...dynamicImports(task, made),
          ...readFiles(task, made, placeOf),
          ...requireProblems(task, bundled, placeOf),
          ...versionProblems(task, bundled, placeOf),
        ];
  return firstOfEach(found);
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
  const { ts } = await import("ts-morph");
  return calls
    .filter((call) => contained.includes(call.path) && !isCaught(ts, call.path, call))
    .map(({ path, file, line, column, lineText }) => {
      const owner = packageOf(path);
      return owner === undefined
        ? dynamicProblem("require(…)", {
            file: fromRoot(root, path),
            line,
            column: columnOf(lineText, column),
          })
        : packageProblem(
            owner.name,
            `it loads modules by computed names (${nameInBundle(file)}:${line})`,
            placeOf(path),
          );
    });
};

/** esbuild counts columns in UTF-8 bytes. */
const columnOf = (lineText: string, bytes: number): number =>
  Buffer.from(lineText).subarray(0, bytes).toString("utf8").length + 1;

/** `import(name)` in the author's files; found in the bundle, which no longer contains comments or unneeded code. */
const dynamicImports = ({ root, packageOf }: Task, { text, map }: MadeBundle): readonly NodeProblem[] => {
  const places = [...text.matchAll(/\bimport\((?!["']|`(?:node:|[^`$]*`))/g)].map(({ index }) => index);
  if (places.length === 0) return [];
  const sources = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
  return places.flatMap((place) => {
    const before = text.slice(0, place).split("\n");
    const entry = sources.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
    if (!("originalSource" in entry) || /^[\w-]{2,}:/.test(entry.originalSource)) return [];
    const { originalSource, originalLine: line, originalColumn: column } = entry;
    const path = resolve(root, decodeURIComponent(originalSource));
    const isImport = readFileSync(path, "utf8").split("\n")[line]?.startsWith("import", column) === true;
    return isImport && packageOf(path) === undefined
      ? [dynamicProblem("import(…)", { file: fromRoot(root, path), line: line + 1, column: column + 1 })]
      : [];
  });
};

/** Files that a source reads from its own folder. */
const readFiles = (
  { root, packageOf }: Task,
  { text: bundle, contained }: MadeBundle,
  placeOf: ImportPlace,
): readonly NodeProblem[] =>
  contained.flatMap((path) => {
    if (!/\.[cm]?[jt]sx?$/.test(path)) return [];
    const text = readFileSync(path, "utf8");
    const owner = packageOf(path);
    const read = filesBeside(path, text).filter((file) => bundle.includes(file.path));
    const [first] = read;
    if (owner !== undefined)
      return first === undefined
        ? []
        : [packageProblem(owner.name, `it reads its own file "${first.path}" from disk`, placeOf(path))];
    return read.map((file) => fileProblem(file.path, spanAt(text, file.offset, fromRoot(root, path))));
  });

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
