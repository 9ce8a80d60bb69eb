import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pipeline, pipelineProcess } from "./run-pipeline.ts";
import { pipelineSource, project } from "./small-project.ts";

const config = (text: string): string =>
  `import { defineConfig } from "tritype";\nexport default defineConfig(${text} as never);\n`;

/** The output of `pipeline build` for the project, without absolute paths. */
const complaint = async (files: Readonly<Record<string, string>>, run = pipeline): Promise<string> => {
  const small = project(files);
  const { code, out, err } = await run(small, ["build"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).not.toContain("    at ");
  return err.replaceAll(small.root, "<project>").trimEnd();
};

test("a syntax error is shown at its line and column, counted in characters", async () => {
  expect(await complaint({ "pipeline.ts": 'const ü = "日本 🚀"; const y = ;\n' })).toMatchInlineSnapshot(`
    "error[project/invalid]: syntax error: Unexpected ";"
     ┌─ pipeline.ts:1:30
    1│ const ü = "日本 🚀"; const y = ;
     │                              ^
      = help: correct it there or just before; your editor marks the same position"
  `);
});

test("all syntax errors of a file are shown at once", async () => {
  expect(
    await complaint({
      "pipeline.ts":
        'import { nope } from "./models/encoder.ts";\nimport { x } from "no-such-package";\nexport { nope, x };\n',
    }),
  ).toMatchInlineSnapshot(`
    "error[project/invalid]: the file "./models/encoder.ts" does not exist
     ┌─ pipeline.ts:1:22
    1│ import { nope } from "./models/encoder.ts";
     │                      ^^^^^^^^^^^^^^^^^^^^^
      = help: check the path; it is relative to the importing file, and must name a file, not a folder

    error[project/invalid]: the package "no-such-package" is not installed
     ┌─ pipeline.ts:2:19
    2│ import { x } from "no-such-package";
     │                   ^^^^^^^^^^^^^^^^^
      = help: npm install no-such-package; paths to your own files start with "./""
  `);
});

test.each<[string, string, string]>([
  ["ids", 'tokenizer({\n  name: "t",\n  ids: "int32",\n} as never)', "3:3"],
  ["a tensor type", 'onnx({\n  name: "o",\n  inputs: { x: fp32(1), y: "fp32" },\n} as never)', "3:25"],
  ["run", 'defineEnsemble({ name: "e", inputs: { x: fp32(1) }, run: 1 } as never)', "1:63"],
  ["a callee", 'flow({ name: "f", uses: { ...{}, one: 1 }, run: async () => ({}) } as never)', "1:44"],
  ["a missing option: the call", "onnx({} as never)", "1:11"],
])("the position of a wrong option is shown: %s", async (_, call, place) => {
  const source = `${call.replace(/^(\w+)/, "const x = $1")};\nexport default x;\n`;
  const files = {
    "pipeline.ts": `${source}import { defineEnsemble, flow, fp32, onnx, tokenizer } from "tritype";\n`,
  };
  expect(await complaint(files)).toContain(`┌─ pipeline.ts:${place}\n`);
});

test("a package that does not export the imported name is reported", async () => {
  expect(
    // Only Node reports this; Vitest's own loader behaves differently.
    await complaint(
      {
        "pipeline.ts": `import { bytes } from "tritype";\n${pipelineSource.replaceAll("fp32", "fp33")}void bytes;\n`,
      },
      pipelineProcess,
    ),
  ).toMatchInlineSnapshot(`
    "error[project/invalid]: \`tritype\` has no export \`fp33\`
     ┌─ pipeline.ts:2:26
    2│ import { defineEnsemble, fp33, onnx } from "tritype";
     │                          ^^^^
      = help: did you mean \`fp32\`?"
  `);
});

test("a file of the project that does not export the imported name is reported", async () => {
  expect(
    await complaint({
      "pipeline.ts": 'import { encodr } from "./encoder.ts";\nexport const x = encodr;\n',
      "encoder.ts": "export const encoder = 1;\n",
    }),
  ).toMatchInlineSnapshot(`
    "error[project/invalid]: \`encoder.ts\` has no export \`encodr\`
     ┌─ pipeline.ts:1:10
    1│ import { encodr } from "./encoder.ts";
     │          ^^^^^^
      = help: did you mean \`encoder\`?"
  `);
});

test("a module that throws is reported, even in a helper in another file, after multi-byte characters", async () => {
  expect(
    await complaint({
      "sizes.ts": `interface Sizes {
  readonly largest: number;
}
export const sizeOf = (name: string): Sizes => {
  const 言語 = "日本語 🚀"; if (name === 言語 || name !== "") throw new RangeError(\`no size for \${name}\`);
  return { largest: 1 };
};
`,
      "pipeline.ts": `import { sizeOf } from "./sizes.ts";
type Unused = { readonly a: string };
const emoji = "👩‍👩‍👧 é"; export const size = sizeOf("größe");
`,
    }),
  ).toMatchInlineSnapshot(`
    "error[project/invalid]: your code threw RangeError: no size for größe
     ┌─ sizes.ts:5:62
    5│   const 言語 = "日本語 🚀"; if (name === 言語 || name !== "") throw new RangeError(\`no size for \${name}\`);
     │                                                              ^^^ thrown here
     ├─ pipeline.ts:3:49
    3│ const emoji = "👩‍👩‍👧 é"; export const size = sizeOf("größe");
     │                                                 ------ called from here"
  `);
});

test.each([
  ["throw 'no way'", '"no way"'],
  ["throw undefined", "undefined"],
  ["throw 1n", "1n"],
  ["const o = {}; o.o = o; throw o", "<ref *1> { o: [Circular *1] }"],
  ["await Promise.reject(new Error('later'))", "Error: later"],
])("%s at the top of a module is reported", async (statement, thrown) => {
  const text = await complaint({ "pipeline.ts": `${statement};\nexport {};\n` });
  expect(text?.split("\n")[0]).toBe(`error[project/invalid]: your code threw ${thrown}`);
});

// Node alone reports these as it does for users: Vitest listens to unhandled rejections too.
test.each([
  [
    "project/invalid",
    "const width = size * 2;\nexport const size = 4;\nexport { width };\n",
    `your code threw ReferenceError: Cannot access 'size' before initialization
 ┌─ pipeline.ts:1:15
1│ const width = size * 2;
 │               ^^^^ thrown here`,
  ],
  [
    "project/invalid",
    "export const clean = /a(b/gi;\n",
    `invalid regular expression: Unterminated group
 ┌─ pipeline.ts:1:22
1│ export const clean = /a(b/gi;
 │                      ^
  = help: correct it; a backslash before a character makes it stand for itself`,
  ],
  [
    "load/exit",
    "process.exit(0);\n",
    `your code called process.exit(0)
 ┌─ pipeline.ts:1:9
1│ process.exit(0);
 │         ^^^^
  = help: throw an error instead; these files are only loaded to read what they define`,
  ],
  [
    "project/invalid",
    'Promise.reject(new Error("no labels"));\n',
    `your code threw Error: no labels
 ┌─ pipeline.ts:1:16
1│ Promise.reject(new Error("no labels"));
 │                ^^^ thrown here`,
  ],
  [
    "load/never-settles",
    "await new Promise(() => {});\nexport {};\n",
    `your code waits at its top level for a promise that never settles
  = help: find the \`await\` outside of any function, and check what resolves its promise`,
  ],
])("%s: %j is reported", async (reason, source, message) => {
  expect(await complaint({ "pipeline.ts": source }, pipelineProcess)).toBe(`error[${reason}]: ${message}`);
});

test("a timer that the user's code leaves running does not keep a command from ending", async () => {
  const small = project({ "pipeline.ts": `${pipelineSource}setInterval(() => {}, 1000);\n` });
  expect(await pipelineProcess(small, ["build"])).toMatchObject({ code: 0, signal: null });
});

test("a tensor used as a value is refused", async () => {
  expect(
    await complaint({
      "pipeline.ts": pipelineSource.replace(
        "    return {",
        "    if ((y as unknown as number) > 1) return { sum: y };\n    return {",
      ),
    }),
  ).toMatchInlineSnapshot(`
    "error[trace/no-value]: a tensor has no value while the pipeline is being recorded
      ┌─ pipeline.ts:16:10
    16│     if ((y as unknown as number) > 1) return { sum: y };
      │          ^
      ├─ pipeline.ts:10:22
    10│ export const total = defineEnsemble({
      │                      -------------- called from here
       = help: use .gt(), where() and similar operators instead of \`if\`, \`<\` and \`+\` on tensors"
  `);
});

test("a step called outside run is refused", async () => {
  expect(
    await complaint({ "pipeline.ts": `${pipelineSource}export const early = double({ x: 1 as never });\n` }),
  ).toMatchInlineSnapshot(`
    "error[trace/outside]: a step or operator was called outside \`run\`
      ┌─ pipeline.ts:19:22
    19│ export const early = double({ x: 1 as never });
      │                      ^^^^^^
       = help: call steps and tensor operators only inside \`run\` of defineEnsemble()"
  `);
});

test("an error that the DSL throws keeps its reason, for programs too", async () => {
  const small = project({
    "pipeline.ts": `${pipelineSource}export const early = double({ x: 1 as never });\n`,
  });
  const { code, out } = await pipeline(small, ["verify", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    error: {
      code: "project/invalid",
      reason: "trace/outside",
      message: "pipeline.ts:19:22: a step or operator was called outside `run`",
      help: "call steps and tensor operators only inside `run` of defineEnsemble()",
    },
  });
  const explained = await pipeline(small, ["explain", "trace/outside"]);
  expect(explained.out).toContain("error[trace/outside]: a step or operator was called outside `run`");
});

test.each([
  ["nothing", "const x = 1;\nvoid x;\n", "pipeline.ts exports nothing"],
  [
    "no ensemble",
    'import { tokenizer } from "tritype";\nexport const size = 1;\nexport const tokenize = tokenizer({ name: "t", from: "assets/tokenizer", maxLength: 8 });\n',
    "pipeline.ts exports `size`, `tokenize`, and none is an ensemble or a flow",
  ],
])("an entry that exports %s is refused", async (_, source, message) => {
  const text = await complaint({ "pipeline.ts": source });
  expect(text).toContain(`error[project/invalid]: ${message}\n`);
  expect(text).toContain(
    "= help: export the result of defineEnsemble() or flow(): `export const embed = defineEnsemble({ … })`",
  );
});

test.each([
  ["{ target: '23.99' }", '`target` is "23.99"; it must be a Triton release from "24.01" to "26.08"'],
  ["{ target: 24.1 }", '`target` must be a Triton release from "24.01" to "26.08"'],
  ["{ entries: 'pipeline.ts' }", '`entries` must be a list of at least one file, such as ["pipeline.ts"]'],
  ["{ entries: [] }", '`entries` must be a list of at least one file, such as ["pipeline.ts"]'],
  ["{ entries: ['pipeline.ts', 3] }", "`entries[1]` must be a path"],
  ["{ output: 3 }", '`output` must be a folder, such as "build"'],
  ["{ stepKinds: [{ kind: 'mine' }] }", "`stepKinds[0]` must be a step kind: { kind, read }"],
  ["{ functions: 'node' }", '`functions` must be an object, such as { engine: "node", node: 24 }'],
  ["{ functions: { engine: 'deno' } }", '`functions.engine` must be "python" or "node"'],
  ["{ functions: { node: 20 } }", "`functions.node` must be 22 or 24, a major version of Node"],
  ["{ functions: { engin: 'node' } }", "`functions` has no field `engin`"],
  ["{ docker: true }", '`docker` must be false, { baseImage: "registry/image:tag" } or { digests:'],
  ["{ docker: { image: 'x' } }", "`docker` has no field `image`"],
  ["{ docker: { baseImage: 'a b' } }", '`docker.baseImage` must be an image, such as "registry/image:tag"'],
  ["{ docker: { digests: { image: 'x' } } }", '`docker.digests.image` must be "sha256:" and 64'],
  ["{ versions: { append: { keeps: 3 } } }", "did you mean `keep`?"],
  ["{ profiles: ['gpu'] }", "`profiles` must be an object: profile name → the fields that it overrides"],
  ["{ profiles: { gpu: {}, GPU: {} } }", "`profiles.GPU` has an invalid name: it differs from `gpu` only in"],
  ["{ profiles: { 'a b': {} } }", "`profiles.a b` has an invalid name: a profile's name consists of letters"],
  [
    "{ profiles: { gpu: 1 } }",
    '`profiles.gpu` must be an object, such as { instanceGroup: [{ kind: "cpu" }] }',
  ],
  [
    "{ profiles: { gpu: { instanceGroup: { kind: 'gpu' } } } }",
    '`profiles.gpu.instanceGroup` must be a list of instance groups, such as [{ kind: "cpu" }]',
  ],
  ["{ profiles: { gpu: { optimization: {} } } }", "`profiles.gpu` has no field `optimization`"],
  ["{ target: '24.04', profiles: { gpu: {} } }", "`profiles` needs Triton 24.05, but the target is 24.04"],
  ["{ entry: [] }", "there is no field `entry`"],
  ["3", "the default export is not a configuration"],
  ["{ entries: ['nope.ts'] }", "nope.ts does not exist"],
])("the configuration %s is refused", async (text, message) => {
  expect(await complaint({ "pipeline.config.ts": config(text) })).toContain(message);
});

test("every invalid field of a configuration is reported, with a suggestion", async () => {
  expect(
    await complaint({ "pipeline.config.ts": config('{ ouput: "dist", colour: 1, target: "1.0" }') }),
  ).toMatchInlineSnapshot(`
    "error[project/invalid]: \`target\` is "1.0"; it must be a Triton release from "24.01" to "26.08"
     ┌─ pipeline.config.ts:2:57
    2│ export default defineConfig({ ouput: "dist", colour: 1, target: "1.0" } as never);
     │                                                         ^^^^^^

    error[project/invalid]: there is no field \`ouput\`
     ┌─ pipeline.config.ts:2:31
    2│ export default defineConfig({ ouput: "dist", colour: 1, target: "1.0" } as never);
     │                               ^^^^^
      = help: did you mean \`output\`?

    error[project/invalid]: there is no field \`colour\`
     ┌─ pipeline.config.ts:2:46
    2│ export default defineConfig({ ouput: "dist", colour: 1, target: "1.0" } as never);
     │                                              ^^^^^^
      = help: the fields are entries, output, target, versions, profiles, docker, functions, drift, deploy, stepKinds"
  `);
});

test("a mistake of the configuration is shown at its property", async () => {
  const pipelineConfig = `import { defineConfig } from "tritype";

const limits = { embedding: { cosin: 0.99 } };
export const config = defineConfig({
  entries: ["pipline.ts"],
  targt: "24.10",
  versions: { append: { keep: -1 } },
  profiles: { gpu: { instanceGroups: [] }, "a b": {}, cpu: { instanceGroup: { kind: "cpu" } } },
  docker: { baseImage: "a b", digests: { imge: "" } },
  drift: { embed: { reference: "build", limits } },
});
export default config;
`;
  expect(await complaint({ "pipeline.config.ts": pipelineConfig })).toMatchInlineSnapshot(`
    "error[project/invalid]: \`versions.append.keep\` must be a whole number of at least 0
     ┌─ pipeline.config.ts:7:25
    7│   versions: { append: { keep: -1 } },
     │                         ^^^^

    error[project/invalid]: \`profiles.gpu\` has no field \`instanceGroups\`
     ┌─ pipeline.config.ts:8:22
    8│   profiles: { gpu: { instanceGroups: [] }, "a b": {}, cpu: { instanceGroup: { kind: "cpu" } } },
     │                      ^^^^^^^^^^^^^^
      = help: did you mean \`instanceGroup\`?

    error[project/invalid]: \`profiles.cpu.instanceGroup\` must be a list of instance groups, such as [{ kind: "cpu" }]
     ┌─ pipeline.config.ts:8:62
    8│   profiles: { gpu: { instanceGroups: [] }, "a b": {}, cpu: { instanceGroup: { kind: "cpu" } } },
     │                                                              ^^^^^^^^^^^^^

    error[project/invalid]: \`docker.baseImage\` must be an image, such as "registry/image:tag"
     ┌─ pipeline.config.ts:9:13
    9│   docker: { baseImage: "a b", digests: { imge: "" } },
     │             ^^^^^^^^^

    error[project/invalid]: \`docker.digests\` has no field \`imge\`
     ┌─ pipeline.config.ts:9:42
    9│   docker: { baseImage: "a b", digests: { imge: "" } },
     │                                          ^^^^
      = help: did you mean \`image\`?

    error[project/invalid]: \`drift.embed.limits.embedding\` has no field \`cosin\`
      ┌─ pipeline.config.ts:10:41
    10│   drift: { embed: { reference: "build", limits } },
      │                                         ^^^^^^
       = help: did you mean \`cosine\`?

    error[project/invalid]: there is no field \`targt\`
     ┌─ pipeline.config.ts:6:3
    6│   targt: "24.10",
     │   ^^^^^
      = help: did you mean \`target\`?"
  `);
});

test.each([
  ["defineConfig({ entries: ['pipeline.ts', 'pipline.ts'] })", "pipeline.config.ts:2:56", "`pipeline.ts`"],
  ["{ entries: ['pipeline.ts', 'pipline.ts'] }", "pipeline.config.ts:2:43", "`pipeline.ts`"],
  ["defineConfig({ output: 'build', entries: ['nowhere/else.ts'] })", "pipeline.config.ts:2:58", "`entries`"],
])("an entry of %s that does not exist is reported there", async (text, place, help) => {
  const said = await complaint({
    "pipeline.config.ts": `import { defineConfig } from "tritype";\nexport default ${text};\n`,
  });
  expect(said).toContain(`┌─ ${place}\n`);
  expect(said).toMatch(new RegExp(`= help: .*${help}`));
});

test("a configuration without a default export is refused", async () => {
  expect(await complaint({ "pipeline.config.ts": "export const config = {};\n" })).toMatchInlineSnapshot(`
    "error[project/invalid]: pipeline.config.ts: there is no default export
      = help: write \`export default defineConfig({ … })\`"
  `);
});

test("a configuration with a syntax error is refused at its position", async () => {
  expect(
    await complaint({ "pipeline.config.ts": "export default {\n  output: ,\n};\n" }),
  ).toMatchInlineSnapshot(`
    "error[project/invalid]: syntax error: Unexpected ","
     ┌─ pipeline.config.ts:2:11
    2│   output: ,
     │           ^
      = help: correct it there or just before; your editor marks the same position"
  `);
});

test("the project is the nearest parent folder with a configuration", async () => {
  const small = project({ "pipeline.config.ts": config("{}") });
  mkdirSync(small.path("deep/er"), { recursive: true });
  const { code, err } = await pipeline(small, ["build"], { cwd: small.path("deep/er") });
  expect(code).toBe(0);
  expect(err).toContain("built ../../build/model_repository");
});

test("two entries that share a module share its steps", async () => {
  const small = project({
    "pipeline.config.ts": config('{ entries: ["a.ts", "b.ts"] }'),
    "steps.ts": `import { fp32, onnx } from "tritype";
export const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
`,
    ...Object.fromEntries(
      ["a", "b"].map((name) => [
        `${name}.ts`,
        `import { defineEnsemble, fp32 } from "tritype";
import { double } from "./steps.ts";
export const ${name} = defineEnsemble({
  name: "${name}",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ z: double({ x }).y.add(${name === "a" ? 1 : 2}) }),
});
`,
      ]),
    ),
  });
  const { code, err } = await pipeline(small, ["build"]);
  expect({ code, err }).toMatchObject({ code: 0 });
  const manifest = JSON.parse(readFileSync(small.path("build/manifest.json"), "utf8")) as {
    readonly models: readonly { readonly name: string }[];
  };
  expect(manifest.models.map(({ name }) => name).toSorted()).toEqual(["a", "a_z", "b", "b_z", "double"]);
});

test("two ensembles with the same name are refused, not dropped", async () => {
  const text = await complaint({
    "pipeline.ts": `${pipelineSource}${pipelineSource
      .slice(pipelineSource.indexOf("export"))
      .replace("const total", "const other")}`,
  });
  expect(text).toContain("error[model/duplicate-name]");
});

test("positions are correct for a project in a folder with spaces and parentheses", async () => {
  const outer = project({
    "my (new) 100% ü#1 project/pipeline.ts": pipelineSource.replace("models/", "absent/"),
  });
  const { err } = await pipeline(outer, ["build"], { cwd: outer.path("my (new) 100% ü#1 project") });
  expect(err).toContain("pipeline.ts:5:3");
});
