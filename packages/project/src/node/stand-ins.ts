import * as dsl from "@tritype/dsl";
import type { Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { isOfTritype } from "./needed-statements.ts";

/** The module with which a bundle finds the function of its step. */
export const registryModule = "tritype-registry";

/**
 * Replaces Tritype in a bundle: `step` and `batchStep` note the function of a step, everything else does nothing. The
 * calls of other files are pure, so that the bundle leaves out what only they need.
 * @param isDefining Whether a file, an absolute path, defines the step.
 */
export const tritypeStandIns = (isDefining: (path: string) => boolean): Plugin => ({
  name: "tritype-stand-ins",
  setup(build) {
    build.onResolve({ filter: /^@?tritype/ }, ({ path, importer }) =>
      path === registryModule
        ? { path, namespace }
        : isOfTritype(path)
          ? { path: `${path} of ${importer}`, namespace, pluginData: importer, sideEffects: false }
          : undefined,
    );
    build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
      contents:
        path === registryModule
          ? registry
          : standIns(readFileSync(pluginData as string, "utf8"), isDefining(pluginData as string)),
      // For the import of the registry.
      resolveDir: "/",
    }));
  },
});

const namespace = "tritype";

/** Every name that a file may import from Tritype: those that exist, and all words of the file. */
const standIns = (importer: string, isDefining: boolean): string => {
  const functions = Object.entries(dsl).flatMap(([name, value]) =>
    typeof value === "function" ? [name] : [],
  );
  const definers = ["step", "batchStep", "flow"];
  const pure = isDefining ? "" : "/* @__NO_SIDE_EFFECTS__ */ ";
  const words = importer.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? [];
  const harmless = functions.filter((name) => !definers.includes(name));
  const others = [...new Set([...words, "default"])].filter(
    (word) => !definers.includes(word) && !functions.includes(word),
  );
  return [
    `import { define, standIn } from "${registryModule}";`,
    ...definers.map((name) => `${pure}export function ${name}(options) { return define(options); }`),
    ...harmless.map((name) => `/* @__NO_SIDE_EFFECTS__ */ export function ${name}() { return standIn(); }`),
    "const anything = /* @__PURE__ */ standIn();",
    `export { ${others
      .toSorted()
      .map((name) => `anything as ${name}`)
      .join(", ")} };`,
  ].join("\n");
};

const registry = `
const functions = new Map();
let isLoading = true;

const anything = new Proxy(function () {}, {
  get(target, key) {
    if (key === "then") return undefined;
    if (key === Symbol.iterator) return [][key];
    if (key === Symbol.toPrimitive) return () => "";
    if (key === Symbol.hasInstance) return () => false;
    return anything;
  },
  set: () => true,
  apply: () => standIn(),
  construct: () => standIn(),
});

export function standIn() {
  if (isLoading) return anything;
  throw new Error("functions of tritype cannot be called while a step runs");
}

export function define({ name, run }) {
  if (isLoading) functions.set(name, run);
  return standIn();
}

/** The function of a step. */
export function functionOf(name, file) {
  isLoading = false;
  const run = functions.get(name);
  if (typeof run === "function") return run;
  throw new Error(\`step "\${name}" is not defined when \${file} is loaded\`);
}
`;
