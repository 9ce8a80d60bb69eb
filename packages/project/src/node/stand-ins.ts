import * as dsl from "@tritype/dsl";
import type { Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { fromRoot } from "./finish-bundle.ts";

/** Functions of Tritype that define a step. */
export const definers: readonly string[] = ["step", "batchStep", "flow"];

/** Whether a module specifier is one of Tritype's. */
export const isOfTritype = (specifier: string): boolean =>
  /^(?:tritype|@tritype\/[^/]+)(?:\/|$)/.test(specifier);

/** The module that registers the functions of steps. */
export const registryModule = "tritype-registry";

/** Replaces Tritype in a bundle: `step` and `batchStep` register a step's function; everything else does nothing. */
export const tritypeStandIns = (root: string): Plugin => ({
  name: "tritype-stand-ins",
  setup(build) {
    build.onResolve({ filter: /^@?tritype/ }, ({ path, importer }) =>
      path === registryModule
        ? { path, namespace }
        : isOfTritype(path)
          ? {
              path: `${path} in ${fromRoot(root, importer)}`,
              namespace,
              pluginData: importer,
              sideEffects: false,
            }
          : undefined,
    );
    build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
      contents: path === registryModule ? registry : standIns(readFileSync(pluginData as string, "utf8")),
      // esbuild resolves the import of the registry from here.
      resolveDir: root,
    }));
  },
});

const namespace = "tritype";

/** Exports every name that a file may import from Tritype: the existing exports, and all words of the file. */
const standIns = (importer: string): string => {
  const words = importer.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [];
  const others = [...new Set([...Object.keys(dsl), ...words, "default"])].filter(
    (word) => !definers.includes(word),
  );
  const exported = [
    ...definers.map((name) => `define as ${name}`),
    ...others.toSorted().map((name) => `anything as ${name}`),
  ];
  return `export { ${exported.join(", ")} } from "${registryModule}";`;
};

const registry = `
const functions = new Map();
let isLoading = true;

export const anything = /* @__PURE__ */ new Proxy(function () {}, {
  get(target, key) {
    if (key === "then") return undefined;
    if (key === Symbol.iterator) return [][key];
    if (key === Symbol.toPrimitive) return () => "";
    if (key === Symbol.hasInstance) return () => false;
    return typeof key === "symbol" ? undefined : called();
  },
  set() {
    return true;
  },
  apply: called,
  construct: called,
});

function called() {
  if (isLoading) return anything;
  throw new Error("steps, ensembles and other values of tritype cannot be used while a step runs; a flow calls the steps in its \`uses\` through the second parameter of \`run\`");
}

export function define({ name, run }) {
  if (isLoading) functions.set(name, run);
  return called();
}

/** The function of a step. */
export function functionOf(name, file) {
  isLoading = false;
  const run = functions.get(name);
  if (typeof run === "function") return run;
  throw new Error(\`step "\${name}" is not defined when \${file} is loaded\`);
}
`;
