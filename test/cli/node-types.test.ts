import { compileProject, findProject } from "@tritype/project";
import { expect, onTestFinished, test } from "vitest";
import { makeProject, renderAll } from "../fixtures/project.ts";

/** A project with the flow `route`, whose `run` has this body. The flow calls `score`, a function on Node. */
const projectOf = (body: string, rest: string, others: Readonly<Record<string, string>> = {}) => {
  const files = {
    "pipeline.ts": `import { bytes, flow, fp32, step } from "tritype";
${rest}
const text = bytes("batch", 1);
const score = step({ name: "score", engine: "node", inputs: { text }, outputs: { y: fp32("batch", 1) }, run: ({ text }) => ({ y: text.length }) });
export const route = flow({ name: "route", maxBatchSize: 4, inputs: { text }, outputs: { y: fp32("batch", 1) }, uses: { score },
  async run({ text }, { score }) {
    ${body}
  },
});
`,
    ...others,
  };
  const project = makeProject(files);
  onTestFinished(() => project.remove());
  return {
    project,
    async messages(): Promise<string> {
      const { compilation } = await compileProject(findProject(project.root));
      return renderAll(compilation.diagnostics, files);
    },
  };
};

const awaited = "return { y: (await score({ text })).y };";
const withConfig = (compilerOptions: object) => ({
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      module: "NodeNext",
      noEmit: true,
      allowImportingTsExtensions: true,
      ...compilerOptions,
    },
  }),
});

test.each([
  ["without a tsconfig.json", {}],
  ["with a tsconfig.json that is not strict", withConfig({ strict: false })],
])("a forgotten `await` in a flow, %s", async (_, config) => {
  const { messages } = projectOf("return { y: score({ text }).y };", "", config);
  expect(
    await messages(),
  ).toBe(`error[function/type-error]: TypeScript reports an error in a step's file: Property 'y' does not exist on type 'Promise<CallOutputs<{ readonly y: TensorType<"FP32", ["batch", 1]>; }>>'. (TS2339)
 ┌─ pipeline.ts:7:33
7│     return { y: score({ text }).y };
 │                                 ^
  = note: Did you forget to use 'await'?
  = help: fix the error: a function is only built if TypeScript accepts it
`);
});

test("type errors in code that a function on Node uses, in this and other files", async () => {
  const { messages } = projectOf(
    "return { y: new Counted(text).size + half(text) };",
    'import { half } from "./half.ts";\nclass Counted { #text: string; constructor(text: string) { this.#text = text; } get size() { return this.#text.size; } }',
    {
      "half.ts":
        'import type { Part } from "./part.ts";\nexport const half = (text: string): Part => ({ size: 1 });\n',
      "part.ts": "export type Part = Missing;\n",
    },
  );
  expect((await messages()).match(/(?<=type-error\]: .*: ).*|(?<=┌─ ).*/g)).toEqual([
    "Cannot find name 'Missing'. (TS2304)",
    "part.ts:1:20",
    "Property 'size' does not exist on type 'string'. (TS2339)",
    "pipeline.ts:3:112",
  ]);
});

test("errors elsewhere do not stop a build", async () => {
  const { messages } = projectOf(
    "return { y: half(text) };",
    'import { half } from "./half.ts";\nimport "./aside.ts";\nexport const unrelated: string = 3;\n',
    {
      "half.ts": "export const half = (text: string) => text.length / 2;\nexport const other: string = 3;\n",
      "aside.ts": "const aside: string = 3;\n",
      "unused.ts": "const unused: string = 3;\n",
    },
  );
  expect(await messages()).toBe("");
});

/** Code that Node runs. Without a tsconfig.json, TypeScript does not know what the packages and Node declare. */
const untyped = {
  body: `const timer: NodeJS.Timeout = setTimeout(() => {}, 1);
    clearTimeout(timer);
    const init: RequestInit = { signal: AbortSignal.any([AbortSignal.timeout(10)]) };
    const bytes = createHash("sha256").update(Buffer.from(text)).digest();
    const [size] = [bytes.length].map((one) => one);
    return { y: size + table + untyped((some) => some) + (init.signal?.aborted ? 1 : 0) };`,
  rest: `import { createHash } from "node:crypto";
import { untyped } from "./untyped.js";
const table = await Promise.resolve(Number(import.meta.url.length > 0));`,
  others: { "untyped.js": "export const untyped = (some) => some(1);\n" },
};
test.each([
  ["without a tsconfig.json", {}],
  ["with one that is not strict", withConfig({ strict: false, target: "es2023" })],
  ["with one without Node's types", withConfig({ strict: true, types: [], target: "es2023" })],
  [
    "with one for CommonJS",
    {
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          module: "commonjs",
          moduleResolution: "node10",
          ignoreDeprecations: "6.0",
          strict: true,
          target: "es2023",
        },
      }),
    },
  ],
])("missing declarations do not stop a build, %s", async (_, config) => {
  const { messages } = projectOf(untyped.body, untyped.rest, { ...untyped.others, ...config });
  expect(await messages()).toBe("");
});

test("TypeScript's own comment accepts an error", async () => {
  const { messages } = projectOf(
    `// @ts-expect-error\n    const z: string = 3;\n    void z;\n    ${awaited}`,
    "",
  );
  expect(await messages()).toBe("");
});
