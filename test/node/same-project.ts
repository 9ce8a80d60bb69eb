import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

const folder = fileURLToPath(new URL("functions/", import.meta.url));
const modules = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.(?:ts|json)$/.test(path),
);

/** Modules of `functions`, each with functions about one subject. */
export const themes: readonly string[] = modules
  .filter((path) => /^\w+\.ts$/.test(path) && !["case.ts", "rows.ts"].includes(path))
  .map((path) => path.slice(0, -".ts".length))
  .toSorted();

/**
 * A project with a step on Node for each theme, which runs the function that a row names, and an ensemble of it alone. The steps `orders` and
 * `orders_python` have an input whose type can be checked, and `fetches` gets a text from a service.
 */
export const sameProject = (): ProjectFixture => {
  const sources = modules.map((path) => [`functions/${path}`, readFileSync(`${folder}${path}`, "utf8")]);
  return makeProject({
    ...Object.fromEntries(sources),
    "package.json": JSON.stringify({ type: "module" }),
    // Like a user's project, without the packages' sources.
    "tsconfig.json": JSON.stringify({
      extends: "../../tsconfig.json",
      compilerOptions: { customConditions: [], erasableSyntaxOnly: false, lib: ["ESNext"] },
    }),
    "pipeline.ts": pipelineText(),
  });
};

const pipelineText = (): string =>
  [
    'import { bytes, defineEnsemble, json, step } from "tritype";',
    'import { answerTo, type Call } from "./functions/case.ts";',
    ...themes.map((theme) => `import { cases as ${theme} } from "./functions/${theme}.ts";`),
    "interface Order { readonly name: string; readonly sizes: readonly (number | null)[]; readonly gift?: boolean }",
    "const count = ({ order }: { order: Order }) => ({ counted: `${order.name} ${order.sizes.length} ${order.gift}` });",
    ...["", "_python"].map(
      (suffix) => `
const orders${suffix} = step({
  name: "orders${suffix}",${suffix === "" ? '\n  engine: "node",' : ""}
  inputs: { order: json<Order>() },
  outputs: { counted: bytes("batch", 1) },
  run: count,
});
export const ask_orders${suffix} = defineEnsemble({
  name: "ask_orders${suffix}",
  maxBatchSize: 64,
  inputs: { order: json<Order>() },
  run: ({ order }) => ({ counted: orders${suffix}({ order }).counted }),
});`,
    ),
    `
const fetches = step({
  name: "fetches",
  engine: "node",
  inputs: { url: bytes("batch", 1) },
  outputs: { body: bytes("batch", 1) },
  run: async ({ url }) => ({ body: await (await fetch(url)).text() }),
});
export const ask_fetches = defineEnsemble({
  name: "ask_fetches",
  maxBatchSize: 64,
  inputs: { url: bytes("batch", 1) },
  run: ({ url }) => ({ body: fetches({ url }).body }),
});`,
    ...themes.map(
      (theme) => `
const ${theme}Step = step({
  name: "${theme}",
  engine: "node",
  inputs: { call: json<Call>() },
  outputs: { answer: json<unknown>() },
  run: ({ call }) => answerTo(${theme}, call),
});
export const ask_${theme} = defineEnsemble({
  name: "ask_${theme}",
  maxBatchSize: 64,
  inputs: { call: json<Call>() },
  run: ({ call }) => ({ answer: ${theme}Step({ call }).answer }),
});`,
    ),
  ].join("\n");
