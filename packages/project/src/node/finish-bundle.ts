import { isAbsolute, relative, sep } from "node:path";

/** The name of the bundle's URL inside the bundle. */
export const bundleUrl = "url_of_bundle";
/** The names that replace `__filename` and `__dirname` in a CommonJS module. */
export const bundleFile = "file_of_bundle";
export const bundleFolder = "folder_of_bundle";

interface SourceMapJson {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Completes esbuild's output for Node. In the map, sources of packages are named from `node_modules`. */
export const finishBundle = (text: string, map: string): { readonly text: string; readonly map: string } => {
  const prelude = preludes.filter(({ usedBy }) => usedBy.test(text)).map(({ line }) => `${line}\n`);
  const json = JSON.parse(map) as SourceMapJson;
  const sources = json.sources.map(nameInBundle);
  const mappings = ";".repeat(prelude.length) + json.mappings;
  return {
    text: prelude.join("") + corrected(text),
    map: `${JSON.stringify({ ...json, sources, mappings })}\n`,
  };
};

/** Lines before the bundle, for CommonJS modules in it. esbuild renames an author's variable that is called `require`. */
const preludes = [
  {
    usedBy: /\b__require\b/,
    line: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
  },
  { usedBy: new RegExp(`\\b${bundleUrl}\\b`), line: `const ${bundleUrl} = import.meta.url;` },
  { usedBy: new RegExp(`\\b${bundleFile}\\b`), line: `const ${bundleFile} = import.meta.filename;` },
  { usedBy: new RegExp(`\\b${bundleFolder}\\b`), line: `const ${bundleFolder} = import.meta.dirname;` },
] as const;

/** Where esbuild's helpers differ from Node: a pattern, and its replacement in the same line. */
const corrections = [
  // `import x from` a CommonJS package is its `module.exports`, even if compiled from ES modules.
  [/^( *)isNodeMode \|\| !mod \|\| !mod\.__esModule \? (__defProp\(.*\)) : target,$/m, "$1$2,"],
  // `addInitializer` of a decorator's context returns nothing, and a decorator may not return a number.
  [/^(var __decoratorContext = .* : )(?=fns\d*\.push\()/m, "$1void "],
  // A namespace has no prototype: `"toString" in namespace` is false.
  [/^(var \w+ = )\{\};(?=\n__(?:export|reExport)\()/gm, "$1{ __proto__: null };"],
] as const;

const corrected = (text: string): string =>
  corrections.reduce((made, [pattern, replacement]) => made.replace(pattern, replacement), text);

/** A path from the project's root, with "/". */
export const fromRoot = (root: string, path: string): string =>
  (isAbsolute(path) ? relative(root, path) : path).split(sep).join("/");

/**
 * Converts a source's path from the root to its path in a bundle, where packages are in `node_modules`, regardless of
 * where they are installed. Sources from folders above the root, such as another package of the workspace, are in it too:
 * the server only has the bundle's folder.
 */
export const nameInBundle = (path: string): string =>
  path.replace(/^.*\/(?=node_modules\/)|^(?:\.\.\/)+/, "");
