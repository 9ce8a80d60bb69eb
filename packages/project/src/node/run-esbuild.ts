import { resolve, sep } from "node:path";
import { isBuiltin } from "node:module";
import { PipelineError } from "@tritype/core";
import type { BuildFailure, BuildOptions, Metafile, Plugin } from "esbuild";
import { metaDefines, ownMeta, recorded } from "../load/bundle-plugins.ts";
import { bundleFile, bundleFolder, bundleUrl, fromRoot, nameInBundle } from "./finish-bundle.ts";
import type { Bundled, BundleTask, MadeBundle, PackageImport } from "./bundle-task.ts";
import { createdRequires } from "./created-requires.ts";
import { isOfTritype, registryModule, tritypeStandIns } from "./stand-ins.ts";

/** Bundles the function of a step. */
export const runEsbuild = async (task: BundleTask): Promise<Bundled> => {
  const { build } = await import("esbuild");
  const imports: PackageImport[] = [];
  try {
    const { outputFiles, metafile, warnings } = await build(optionsOf(task, imports));
    const contentOf = (ending: string): string =>
      outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
    const made = {
      text: contentOf("run.mjs"),
      map: contentOf("run.mjs.map"),
      ...contentsOf(task, metafile),
    };
    const required = createdRequires(task.root, made);
    return { imports: [...imports, ...required], required, messages: warnings, made };
  } catch (error) {
    if (PipelineError.is(error) || !isBuildFailure(error)) throw error;
    return { imports, required: [], messages: error.errors, made: undefined };
  }
};

const contentsOf = (
  { root, file }: BundleTask,
  { inputs, outputs }: Metafile,
): Pick<MadeBundle, "read" | "contained" | "external" | "isImported"> => {
  const output = outputs["run.mjs"];
  const contained = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    read: Object.keys(inputs).flatMap((input) => fileOf(root, input) ?? []),
    contained: contained.flatMap(([input]) => fileOf(root, input) ?? []),
    external: (output?.imports ?? []).map(({ path }) => path),
    isImported: Object.entries(inputs).some(
      ([input, { imports }]) =>
        input !== entryName && imports.some(({ path }) => fileOf(root, path) === file),
    ),
  };
};

/** Paths of a metafile are relative to the root; undefined for modules that are not files. */
const fileOf = (root: string, input: string): string | undefined =>
  /^[\w-]{2,}:|^</.test(input) ? undefined : resolve(root, input);

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors);

const optionsOf = (task: BundleTask, imports: PackageImport[]) =>
  ({
    stdin: { contents: entryOf(task), resolveDir: task.root, sourcefile: entryName, loader: "js" },
    absWorkingDir: task.root,
    outfile: `${task.root}${sep}run.mjs`,
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: `node${task.nodeMajor}`,
    // Escapes would shift the columns.
    charset: "utf8",
    keepNames: true,
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    logOverride: { "unsupported-require-call": "warning", "indirect-require": "warning" },
    // Node knows "module-sync", but not esbuild's own condition "module".
    conditions: ["module-sync"],
    define: { ...metaDefines, __filename: bundleFile, __dirname: bundleFolder },
    plugins: [
      recorded(task.inputs),
      tritypeStandIns(task.root),
      packages(task, imports),
      ownMeta({
        placesOf,
        nameOf: (path) => nameInBundle(fromRoot(task.root, path)),
        textOf: task.textOf,
      }),
    ],
  }) satisfies BuildOptions;

const entryName = "tritype:entry";

const entryOf = ({ root, step, file }: BundleTask): string => {
  const path = fromRoot(root, file);
  const specifier = path.startsWith("../") ? path : `./${path}`;
  return [
    `import ${JSON.stringify(specifier)};`,
    `import { functionOf } from "${registryModule}";`,
    `export const run = functionOf(${JSON.stringify(step)}, ${JSON.stringify(path)});`,
  ].join("\n");
};

/** `import.meta` of a source gives the location that the source would have if the bundle were in the project's root. */
const placesOf = (path: string): string =>
  [
    'import { fileURLToPath } from "node:url";',
    'import { dirname as folderOf } from "node:path";',
    `export const url = /* @__PURE__ */ String(/* @__PURE__ */ new URL(${JSON.stringify(urlOf(path))}, ${bundleUrl}));`,
    "export const filename = /* @__PURE__ */ fileURLToPath(url);",
    "export const dirname = /* @__PURE__ */ folderOf(filename);",
  ].join("\n");

const urlOf = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** Packages with native addons stay outside. Returns nothing for others, because esbuild would ignore their package.json. */
const packages = ({ packageOf }: BundleTask, imports: PackageImport[]): Plugin => ({
  name: "packages",
  setup(build) {
    build.onResolve(
      { filter: /^[^./]|\.node$/ },
      async ({ path, resolveDir, kind, importer, namespace, pluginData }) => {
        if (isBuiltin(path)) return { path, external: true, sideEffects: false };
        if (pluginData === "resolving" || namespace !== "file" || isOfTritype(path)) return undefined;
        const found = await build.resolve(path, {
          resolveDir,
          kind,
          importer,
          namespace,
          pluginData: "resolving",
        });
        const to = found.errors.length > 0 ? undefined : found.path;
        imports.push({ from: importer, written: path, to });
        const owner = to === undefined ? undefined : packageOf(to);
        return owner?.isNative === true && !path.startsWith(".")
          ? { path, external: true, sideEffects: found.sideEffects }
          : undefined;
      },
    );
  },
});
