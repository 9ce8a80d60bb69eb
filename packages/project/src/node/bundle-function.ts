import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BundledFunction, NodeProblem } from "@tritype/compiler";
import { tryDecodeUtf8 } from "@tritype/core";
import type { BuildFailure, Metafile, Plugin } from "esbuild";
import type { BuildInputs } from "../build-inputs.ts";

/** A function to bundle: the step, and the file and line that define it. */
export interface FunctionToBundle {
  readonly root: string;
  readonly step: string;
  /** From the project's root, with "/". */
  readonly file: string;
  readonly line: number;
  readonly nodeMajor: number;
  readonly inputs: BuildInputs;
}

/** The function of a step with everything that it imports, as `run.mjs` and its source map. */
export const bundleFunction = async ({
  root,
  step,
  file,
  nodeMajor,
  inputs,
}: FunctionToBundle): Promise<BundledFunction> => {
  const { build } = await import("esbuild");
  const entry = [
    `import { functions } from "tritype";`,
    `import ${JSON.stringify(`./${file}`)};`,
    `export const run = functions.get(${JSON.stringify(step)});`,
  ].join("\n");
  const result = await build({
    stdin: { contents: entry, resolveDir: root, loader: "ts" },
    outfile: join(root, "run.mjs"),
    absWorkingDir: root,
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: `node${nodeMajor}`,
    charset: "utf8",
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
    plugins: [tritypeStandIn],
  }).catch((error: BuildFailure) => error);
  if ("errors" in result && result instanceof Error)
    return { ...nothing, problems: result.errors.map(problemOf) };
  const paths = Object.keys(result.metafile.inputs).filter(
    (path) => !path.includes("<") && !path.includes(":"),
  );
  for (const path of paths) inputs.add(resolve(root, path));
  const textOf = (name: string): string =>
    tryDecodeUtf8(result.outputFiles.find(({ path }) => path.endsWith(name))?.contents ?? new Uint8Array()) ??
    "";
  return {
    ...nothing,
    files: new Map([
      ["run.mjs", textOf("run.mjs")],
      ["run.mjs.map", textOf("run.mjs.map")],
    ]),
    packages: packagesOf(root, result.metafile),
  };
};

const nothing: BundledFunction = { files: new Map(), packages: [], native: [], problems: [] };

const problemOf = ({ text, location }: BuildFailure["errors"][number]): NodeProblem => ({
  at:
    location === null || location.file.includes("node_modules")
      ? undefined
      : { file: location.file, line: location.line, column: location.column + 1 },
  what: text,
  help: "change the import, or use another package",
});

/** Registers the functions of steps by name, instead of tritype. */
const tritypeStandIn: Plugin = {
  name: "tritype-stand-in",
  setup(build) {
    build.onResolve({ filter: /^(?:tritype|@tritype)(?:\/|$)/ }, () => ({
      path: "tritype",
      namespace: "stand-in",
    }));
    build.onLoad({ filter: /.*/, namespace: "stand-in" }, () => ({ contents: standIn, loader: "js" }));
  },
};

const standIn = `\
const functions = new Map();
const register = (options) => {
  functions.set(options.name, options.run);
  return anything;
};
const anything = new Proxy(function () {}, {
  get: (_, name) =>
    name === "functions" ? functions : name === "step" || name === "batchStep" ? register : anything,
  apply: () => anything,
});
module.exports = anything;
`;

const packagesOf = (root: string, { inputs }: Metafile): BundledFunction["packages"] => {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => {
      const parts = path.split("/");
      const at = parts.lastIndexOf("node_modules") + 1;
      const length = parts[at]?.startsWith("@") === true ? 2 : 1;
      return at === 0 ? [] : [parts.slice(0, at + length).join("/")];
    }),
  );
  return [...folders]
    .map((folder) => {
      const read = JSON.parse(readFileSync(resolve(root, folder, "package.json"), "utf8")) as Record<
        string,
        unknown
      >;
      const { name, version, license } = read;
      return {
        name: String(name),
        version: String(version),
        licence: typeof license === "string" ? license : undefined,
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};
