import { readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { invariant } from "@tritype/core";
import { collectDefinitions, type StepRecord } from "@tritype/dsl";
import { temporaryFolder } from "@tritype/wheels";
import type { BuildFailure, Metafile, Plugin } from "esbuild";
import { type BuildInputs, createBuildInputs } from "../build-inputs.ts";
import { metaDefines, metaNamespace, ownMeta, recorded } from "./bundle-plugins.ts";
import { importsOf, withUnsetNames } from "./import-cycles.ts";
import { importWatched } from "./import-watched.ts";
import { bundleFailure, importFailure } from "./load-failure.ts";
import { mapBeside, mapStack } from "./map-stack.ts";

/** A user's TypeScript after loading: the entries' exports, and the mapping from bundle positions to the sources. */
export interface LoadedEntries {
  /** One namespace per entry, in the order given. */
  readonly modules: readonly Readonly<Record<string, unknown>>[];
  /** Everything that was defined during loading, exported or not. */
  readonly definitions: readonly StepRecord[];
  /** Maps a stack so that its frames in the bundle point to the sources instead. */
  readonly mapStack: (stack: string) => string;
  /** Absolute paths of the user's files that were loaded. */
  readonly sources: readonly string[];
}

/**
 * Bundles the entries and imports the result. There is one bundle, so that a module shared by two entries exists once.
 * Packages stay outside the bundle.
 * @param inputs Receives every file that is loaded, and every path that an import names, even on failure.
 * @throws ProjectError with file, line and column if a file does not parse, an import is missing, or a module throws.
 */
export const bundleEntries = async (
  root: string,
  entries: readonly string[],
  inputs: BuildInputs = createBuildInputs(),
): Promise<LoadedEntries> => {
  const folder = temporaryFolder("tritype-");
  const outfile = join(folder.path, "entries.mjs");
  try {
    const metafile = await bundle(root, entries, outfile, inputs);
    const map = mapBeside(outfile);
    invariant(map !== undefined, "the bundle has no source map");
    const imports = importsOf(metafile);
    const sourceAt = (source: string): string => {
      const url = new URL(source, pathToFileURL(outfile));
      return url.protocol === "file:" ? readFileSync(fileURLToPath(url), "utf8") : "";
    };
    writeFileSync(outfile, withUnsetNames(readFileSync(outfile, "utf8"), map, sourceAt));
    const sources = Object.keys(metafile.inputs)
      .filter((path) => !path.startsWith("<") && !path.startsWith(`${metaNamespace}:`))
      .map((path) => resolve(root, path));
    const known = new Map<string, string>();
    const mapped = (stack: string): string =>
      endingAt(outfile, stack).replaceAll(/[^\n]+/g, (frame) => {
        const found = known.get(frame) ?? mapStack(frame, (file) => (file === outfile ? map : undefined));
        known.set(frame, found);
        return found;
      });
    folder.release();
    const { loaded, definitions } = await importWatched(() =>
      collectDefinitions(
        () => import(pathToFileURL(outfile).href) as Promise<Readonly<Record<string, unknown>>>,
      ),
    ).catch(async (error: unknown) => {
      throw await importFailure(error, { root, sources, imports, mapStack: mapped });
    });
    return {
      modules: entries.map((_, i) => loaded[`entry${i}`] as Readonly<Record<string, unknown>>),
      definitions,
      mapStack: mapped,
      sources,
    };
  } finally {
    folder.remove();
  }
};

const bundle = async (
  root: string,
  entries: readonly string[],
  outfile: string,
  inputs: BuildInputs,
): Promise<Metafile> => {
  const { build } = await import("esbuild");
  const result = await build({
    stdin: {
      contents: entries
        .map(
          (entry, i) =>
            `export * as entry${i} from ${JSON.stringify(isAbsolute(entry) ? entry : `./${entry}`)};`,
        )
        .join("\n"),
      resolveDir: root,
      loader: "ts",
    },
    outfile,
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2023",
    // For CommonJS sources. esbuild renames an author's variable that is called `require`.
    banner: {
      js: 'import { createRequire as requireOfBundle } from "node:module"; const require = requireOfBundle(import.meta.url);',
    },
    // Escapes would shift the columns.
    charset: "utf8",
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    define: metaDefines,
    plugins: [recorded(inputs), ownMeta({ placesOf }), packagesOutside],
  }).catch((error: BuildFailure) => {
    throw bundleFailure(root, error);
  });
  return result.metafile;
};

/** `import.meta` of a source refers to the source's own file. */
const placesOf = (path: string): string =>
  Object.entries({ url: pathToFileURL(path).href, filename: path, dirname: dirname(path) })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join("");

/** Imports of packages become absolute URLs, and paths for `require`, so that the bundle can be in any folder. */
const packagesOutside: Plugin = {
  name: "packages-outside",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (isBuiltin(path)) return { path, external: true };
      if (pluginData === "resolving" || kind === "entry-point" || isAbsolute(path)) return undefined;
      const found = await build.resolve(path, { resolveDir, kind, pluginData: "resolving" });
      if (found.errors.length > 0 || /\.[cm]?tsx?$/.test(found.path) || !isAbsolute(found.path)) return found;
      return { path: kind === "require-call" ? found.path : pathToFileURL(found.path).href, external: true };
    });
  },
};

/** A stack without the frames of the code that imports the bundle. */
const endingAt = (outfile: string, stack: string): string => {
  const url = pathToFileURL(outfile).href;
  const lines = stack.split("\n");
  const last = lines.findLastIndex((line) => line.includes(url) || line.includes(outfile));
  return last < 0 ? stack : lines.slice(0, last + 1).join("\n");
};
