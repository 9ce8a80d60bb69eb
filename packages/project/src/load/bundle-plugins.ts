import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Loader, Plugin } from "esbuild";
import type { BuildInputs } from "../build-inputs.ts";

/** Records every file that is loaded, and every path that an import names. Returns nothing, so that esbuild continues as usual. */
export const recorded = (inputs: BuildInputs): Plugin => ({
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

/** The namespace of the modules that contain the location of a source. */
export const metaNamespace = "import-meta";

/** esbuild's `define` for `ownMeta`. */
export const metaDefines: Readonly<Record<string, string>> = Object.fromEntries(
  metaNames.map((name) => [`import.meta.${name}`, metaName(name)]),
);

export interface OwnMeta {
  /** The code of a module that exports the `url`, `filename` and `dirname` of a source, given by its name. */
  readonly placesOf: (name: string) => string;
  /** The name of a source in the bundle's comments. Default: its path. */
  readonly nameOf?: (path: string) => string;
  /** The code of a source, if it differs from its file. */
  readonly textOf?: (path: string) => string | undefined;
}

/**
 * `import.meta.url` of a source is the URL of that source, not of the bundle. It comes from an import that is appended
 * to the source's text, where it does not shift any lines.
 */
export const ownMeta = ({
  placesOf,
  nameOf = (path) => path,
  textOf = () => undefined,
}: OwnMeta): Plugin => ({
  name: "own-meta",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, ({ path }) => {
      const changed = textOf(path);
      const text = changed ?? readFileSync(path, "utf8");
      const loader = (/\.[cm]?([jt]sx?)$/.exec(path)?.[1] ?? "ts") as Loader;
      if (!/\bimport\.meta\.(?:url|filename|dirname)\b/.test(text))
        return changed === undefined ? undefined : { contents: changed, loader };
      const names = metaNames.map((name) => `${name} as ${metaName(name)}`).join(", ");
      const own = JSON.stringify(`${metaNamespace}:${nameOf(path)}`);
      return { contents: `${text}\nimport { ${names} } from ${own};\n`, loader };
    });
    build.onResolve({ filter: new RegExp(`^${metaNamespace}:`) }, ({ path }) => ({
      path: path.slice(metaNamespace.length + 1),
      namespace: metaNamespace,
    }));
    build.onLoad({ filter: /.*/, namespace: metaNamespace }, ({ path }) => ({ contents: placesOf(path) }));
  },
});
