import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin, SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PipelineError } from "@tritype/core";
import type { Message, Plugin } from "esbuild";

/** A user's TypeScript, loaded: what the entries export, and how to find a place of the bundle in the sources. */
export interface LoadedEntries {
  /** One namespace per entry, in the order given. */
  readonly modules: readonly Readonly<Record<string, unknown>>[];
  /** Text of a stack whose frames in the bundle point at the sources instead. */
  readonly mapStack: (stack: string) => string;
  /** Absolute paths of the user's files that were loaded. */
  readonly sources: readonly string[];
}

/**
 * Bundles the entries (one bundle, so that a module shared by two entries exists once) and imports the result. Packages stay
 * outside of the bundle.
 * @throws PipelineError `project/invalid` with file, line and column when a file does not parse or an import is missing.
 */
export const bundleEntries = async (root: string, entries: readonly string[]): Promise<LoadedEntries> => {
  const { build } = await import("esbuild");
  const folder = mkdtempSync(join(tmpdir(), "tritype-"));
  const outfile = join(folder, "entries.mjs");
  try {
    const result = await build({
      stdin: {
        contents: entries
          .map((entry, i) => `export * as entry${i} from ${JSON.stringify(`./${entry}`)};`)
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
      sourcemap: "external",
      sourcesContent: false,
      metafile: true,
      logLevel: "silent",
      plugins: [packagesOutside],
    }).catch((error: { readonly errors?: readonly Message[] }) => {
      throw describeFailure(error);
    });
    const map = new SourceMap(
      JSON.parse(readFileSync(`${outfile}.map`, "utf8")) as ConstructorParameters<typeof SourceMap>[0],
    );
    const namespace = (await import(pathToFileURL(outfile).href)) as Readonly<Record<string, unknown>>;
    return {
      modules: entries.map((_, i) => namespace[`entry${i}`] as Readonly<Record<string, unknown>>),
      mapStack: (stack) => mapStack(stack, outfile, map),
      sources: Object.keys(result.metafile.inputs)
        .filter((path) => !path.startsWith("<"))
        .map((path) => resolve(root, path)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Imports of packages become absolute URLs, so that the bundle may lie anywhere. */
const packagesOutside: Plugin = {
  name: "packages-outside",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (isBuiltin(path)) return { path, external: true };
      if (pluginData === "resolving" || kind === "entry-point") return undefined;
      const found = await build.resolve(path, { resolveDir, kind, pluginData: "resolving" });
      if (found.errors.length > 0 || /\.[cm]?tsx?$/.test(found.path) || !found.path.includes("/"))
        return found;
      return { path: pathToFileURL(found.path).href, external: true };
    });
  },
};

const describeFailure = (error: { readonly errors?: readonly Message[] }): PipelineError => {
  const [first] = error.errors ?? [];
  if (first === undefined)
    return new PipelineError("project/invalid", "the project could not be bundled", { cause: error });
  const place =
    first.location === null
      ? ""
      : `${first.location.file}:${first.location.line}:${first.location.column + 1}: `;
  const missing = /^Could not resolve "(?:\.\/)?([^"]+)"/.exec(first.text)?.[1];
  return missing !== undefined && first.location?.file === "<stdin>"
    ? new PipelineError("project/invalid", `there is no file ${missing}`, {
        help: "name the files that export your ensembles in `entries` of pipeline.config.ts",
      })
    : new PipelineError("project/invalid", `${place}${first.text}`);
};

/** Frames in the bundle → frames in the sources; already mapped frames stay. */
const mapStack = (stack: string, outfile: string, map: SourceMap): string => {
  const url = pathToFileURL(outfile).href;
  return stack.replaceAll(
    /(file:\/\/[^\s()]+|[A-Za-z]?:?[\\/][^\s()]+):(\d+):(\d+)/g,
    (frame, file: string, line: string, column: string) => {
      if (file !== url && file !== outfile) return frame;
      const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
      if (!("originalSource" in entry)) return frame;
      return `${resolve(dirname(outfile), decodeSource(entry.originalSource))}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    },
  );
};

const decodeSource = (source: string): string =>
  source.startsWith("file:") ? fileURLToPath(source) : source;
