import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { attempt, type Site } from "@tritype/core";
import { keepAnswers } from "../analyse/file-answers.ts";
import { type BuildInputs, createBuildInputs } from "../build-inputs.ts";
import { openBundleCache } from "./bundle-cache.ts";
import type { BundledFunction } from "@tritype/compiler";
import type { BundleContent } from "./bundled-function.ts";
import { finishBundle, fromRoot } from "./finish-bundle.ts";
import { findProblems } from "./find-problems.ts";
import { createPackages, nativePackages, sortedPackages } from "./packages.ts";
import type { Bundled, BundleTask } from "./bundle-task.ts";
import { runEsbuild } from "./run-esbuild.ts";

export interface BundleRequest {
  /** The project's folder, an absolute path. */
  readonly root: string;
  /** The step's name. */
  readonly step: string;
  /** The file of the step's site, relative to the root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /**
   * The frames of the step's site outside `file` and `line`, innermost first. The outermost one belongs to the statement that defines the
   * step, which matters if `step` is called in a function in another file. Default none.
   */
  readonly callers?: Site;
  /** The major version of Node on the server. */
  readonly nodeMajor: number;
  /** Receives the author's files that the result depends on. */
  readonly inputs: BuildInputs;
}

/**
 * Bundles the function of a step with everything that it imports. The same files give the same bytes. A bundle is
 * cached until one of its files changes. Nothing is executed.
 */
export const bundleFunction = async (request: BundleRequest): Promise<BundledFunction> => {
  const { root, step, inputs, nodeMajor } = request;
  const { file, line } = request.callers?.at(-1) ?? request;
  const cache = openBundleCache(root, [step, file, line, nodeMajor]);
  const known = cache.read();
  if (known !== undefined) {
    for (const path of known.inputs) inputs.add(path);
    return bundledFunction(known.content);
  }
  const packageOf = createPackages();
  const read = createBuildInputs();
  const before = keepAnswers();
  const add = (path: string): void => {
    before.hear("text", path);
    read.add(path);
  };
  const task = { root, step, file: resolve(root, file), nodeMajor, inputs: { ...read, add }, packageOf };
  before.hear("text", task.file);
  const bundled = await bundleNeeded(task, line);
  const own = read.paths().filter((path) => packageOf(path) === undefined);
  for (const path of own) inputs.add(path);
  const problems = await findProblems(task, bundled, { file: fromRoot(root, file), line, column: 1 });
  if (bundled.made === undefined || problems.length > 0)
    return { files: new Map(), packages: [], native: [], problems };
  const { contained, read: files } = bundled.made;
  const { withNaturalNames } = await import("./natural-names.ts");
  const content: BundleContent = {
    ...finishBundle(withNaturalNames(bundled.made.text), bundled.made.map),
    packages: sortedPackages(contained.flatMap((path) => packageOf(path) ?? [])).map(
      ({ name, version, licence }) => ({ name, version, licence }),
    ),
    native: nativePackages(bundled, packageOf).map(({ name, version }) => ({
      name,
      version,
    })),
  };
  const { imports } = bundled;
  cache.write({ content, inputs: own, read: files, imports, before: before.answers() });
  return bundledFunction(content);
};

const bundledFunction = ({ text, map, packages, native }: BundleContent): BundledFunction => ({
  files: new Map([
    ["run.mjs", text],
    ["run.mjs.map", map],
  ]),
  packages,
  native,
  problems: [],
});

/** Leaves out the statements of the step's file that the step does not need, unless another file imports that file. */
const bundleNeeded = async (task: Omit<BundleTask, "textOf">, line: number): Promise<Bundled> => {
  // These modules load TypeScript.
  const { keepNeeded } = await import("./needed-statements.ts");
  const { withPureCalls } = await import("./pure-calls.ts");
  const whole = readText(task.file);
  const needed = whole === undefined ? undefined : keepNeeded(task.file, whole, line);
  const textOf =
    (own: string | undefined): BundleTask["textOf"] =>
    (path) => {
      const text = path === task.file ? own : task.packageOf(path) === undefined ? readText(path) : undefined;
      return text === undefined || !/["']@?tritype/.test(text)
        ? text
        : withPureCalls(path, text, path === task.file);
    };
  const bundled = await runEsbuild({ ...task, textOf: textOf(needed ?? whole) });
  const needsAll =
    bundled.made?.isImported ??
    bundled.messages.some((message) => message.text.startsWith("No matching export"));
  return needed !== undefined && needsAll ? await runEsbuild({ ...task, textOf: textOf(whole) }) : bundled;
};

const readText = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"));
