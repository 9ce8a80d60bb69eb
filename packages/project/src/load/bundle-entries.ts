import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { invariant } from "@tritype/core";
import { collectDefinitions, type StepRecord } from "@tritype/dsl";
import type { BuildFailure, Loader, Metafile, Plugin } from "esbuild";
import { type BuildInputs, createBuildInputs } from "../build-inputs.ts";
import { hasCycle, importsOf, withUnsetNames } from "./import-cycles.ts";
import { bundleFailure, importFailure } from "./load-failure.ts";
import { mapBeside, mapStack } from "./map-stack.ts";

/**
 * A user's TypeScript after loading: the exports of the entries, and the mapping from bundle positions to the sources.
 */
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
 * Bundles the entries (one bundle, so that a module shared by two entries exists once) and imports the result. Packages
 * stay outside of the bundle.
 * @param inputs Receives every file that is loaded, and every path that an import names, also on failure.
 * @throws ProjectError with file, line and column if a file does not parse, an import is missing, or a module throws.
 */
export const bundleEntries = async (
  root: string,
  entries: readonly string[],
  inputs: BuildInputs = createBuildInputs(),
): Promise<LoadedEntries> => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-"));
  const outfile = join(folder, "entries.mjs");
  try {
    const metafile = await bundle(root, entries, outfile, inputs);
    const map = mapBeside(outfile);
    invariant(map !== undefined, "the bundle has no source map");
    const imports = importsOf(metafile);
    if (hasCycle(imports)) {
      const sourceAt = (source: string): string =>
        readFileSync(fileURLToPath(new URL(source, pathToFileURL(outfile))), "utf8");
      writeFileSync(outfile, withUnsetNames(readFileSync(outfile, "utf8"), map, sourceAt));
    }
    const sources = Object.keys(metafile.inputs)
      .filter((path) => !path.startsWith("<") && !path.startsWith(`${metaNamespace}:`))
      .map((path) => resolve(root, path));
    const mapped = (stack: string): string =>
      mapStack(endingAt(outfile, stack), (file) => (file === outfile ? map : undefined));
    const { loaded, definitions } = await collectDefinitions(
      () => import(pathToFileURL(outfile).href) as Promise<Readonly<Record<string, unknown>>>,
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
    rmSync(folder, { recursive: true, force: true });
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
    // Escapes would shift the columns.
    charset: "utf8",
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    define: Object.fromEntries(metaNames.map((name) => [`import.meta.${name}`, metaName(name)])),
    plugins: [recorded(inputs), ownMeta, packagesOutside],
  }).catch((error: BuildFailure) => {
    throw bundleFailure(root, error);
  });
  return result.metafile;
};

/** Returns nothing itself, so that esbuild continues as usual. */
const recorded = (inputs: BuildInputs): Plugin => ({
  name: "recorded",
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}[\\/]/ }, ({ path, resolveDir }) => {
      inputs.add(resolve(resolveDir, path));
      return undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "file" }, ({ path }) => {
      inputs.add(path);
      return undefined;
    });
  },
});

const metaNames = ["url", "filename", "dirname"] as const;
const metaName = (name: string): string => `__${name}_of_this_module`;
const metaNamespace = "import-meta";

/**
 * `import.meta.url` of a source is the URL of that source, not of the bundle. An import appended to its text, where it
 * does not shift any line, provides it.
 */
const ownMeta: Plugin = {
  name: "own-meta",
  setup(build) {
    build.onLoad({ filter: /\.m?[jt]sx?$/, namespace: "file" }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!/\bimport\.meta\.(?:url|filename|dirname)\b/.test(text)) return undefined;
      const names = metaNames.map((name) => `${name} as ${metaName(name)}`).join(", ");
      const own = JSON.stringify(`${metaNamespace}:${path}`);
      return {
        contents: `${text}\nimport { ${names} } from ${own};\n`,
        loader: (/\.m?([jt]sx?)$/.exec(path)?.[1] ?? "ts") as Loader,
      };
    });
    build.onResolve({ filter: new RegExp(`^${metaNamespace}:`) }, ({ path }) => ({
      path: path.slice(metaNamespace.length + 1),
      namespace: metaNamespace,
    }));
    build.onLoad({ filter: /.*/, namespace: metaNamespace }, ({ path }) => ({
      contents: Object.entries({ url: pathToFileURL(path).href, filename: path, dirname: dirname(path) })
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
        .join(""),
    }));
  },
};

/** Imports of packages become absolute URLs, so that the bundle can be in any folder. */
const packagesOutside: Plugin = {
  name: "packages-outside",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (isBuiltin(path)) return { path, external: true };
      if (pluginData === "resolving" || kind === "entry-point" || isAbsolute(path)) return undefined;
      const found = await build.resolve(path, { resolveDir, kind, pluginData: "resolving" });
      if (found.errors.length > 0 || /\.[cm]?tsx?$/.test(found.path) || !isAbsolute(found.path)) return found;
      return { path: pathToFileURL(found.path).href, external: true };
    });
  },
};

/** A stack without the frames below the bundle's, which import it. */
const endingAt = (outfile: string, stack: string): string => {
  const url = pathToFileURL(outfile).href;
  const lines = stack.split("\n");
  const last = lines.findLastIndex((line) => line.includes(url) || line.includes(outfile));
  return last < 0 ? stack : lines.slice(0, last + 1).join("\n");
};
