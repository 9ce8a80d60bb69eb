import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { doubleModel } from "../fixtures/models.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";
import { pipelineSource, project } from "./small-project.ts";

const warmed = (source: string, warmup: string): string =>
  source.replace(/\}\);\n$/, `  warmup: [${warmup}],\n});\n`);
const ones = '{ name: "ones", inputs: { x: [[1, 2, 3, 4]] }, batchSize: 4 }';
const totalSource = warmed(pipelineSource, ones);
const file = "model_repository/total_sum/warmup/ones_y";
const warmupFiles = (small: ProjectFixture): readonly string[] =>
  filesBelow(small.path("build")).filter((path) => path.includes("/warmup/"));

test("each member model is warmed up with the tensors that reached it, the ensemble not at all; a second build changes nothing", async () => {
  const small = project({ "pipeline.ts": totalSource });
  expect((await pipeline(small, ["build"])).code).toBe(0);
  expect(warmupFiles(small)).toEqual(["model_repository/double/warmup/ones_x", file].toSorted());
  expect([...new Float32Array(new Uint8Array(readFileSync(small.path(`build/${file}`))).buffer)]).toEqual([
    2, 4, 6, 8,
  ]);
  const config = readFileSync(small.path("build/model_repository/double/config.pbtxt"), "utf8");
  for (const line of ['name: "ones"', "batch_size: 4", "dims: [ 4 ]", 'input_data_file: "ones_x"'])
    expect(config).toContain(line);
  expect(readFileSync(small.path("build/model_repository/total/config.pbtxt"), "utf8")).not.toContain(
    "model_warmup",
  );
  expect((await pipeline(small, ["build"])).err).toContain("nothing changed");
  expect((await pipeline(small, ["build", "--check"])).err).toContain("up to date");
  const { code, out } = await pipeline(small, ["run", "total", "--input", "x=[1,2,3,4]"]);
  expect({ code, out }).toMatchObject({ code: 0 });
});

test("tensors from another machine are kept as long as sources and samples are unchanged", async () => {
  const small = project({ "pipeline.ts": totalSource });
  await pipeline(small, ["build"]);
  const other = new Uint8Array(new Float32Array([2, 4, 6, 8.000001]).buffer);
  small.write(`build/${file}`, other);
  const manifest = JSON.parse(readFileSync(small.path("build/manifest.json"), "utf8")) as {
    readonly files: Record<string, string>;
  };
  manifest.files[file] = createHash("sha256").update(other).digest("hex");
  small.write("build/manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  expect(await pipeline(small, ["build", "--check"])).toMatchObject({
    code: 0,
    err: expect.stringContaining("up to date") as string,
  });
  expect((await pipeline(small, ["build"])).err).toContain("nothing changed");
  small.write("pipeline.ts", totalSource.replace("[[1, 2, 3, 4]]", "[[1, 2, 3, 5]]"));
  expect((await pipeline(small, ["build"])).err).toContain("3 files written");
  expect(Buffer.from(readFileSync(small.path(`build/${file}`))).readFloatLE(12)).toBe(10);
});

test("a modified warmup file is recorded again, and removed with its sample", async () => {
  const small = project({ "pipeline.ts": totalSource });
  await pipeline(small, ["build"]);
  small.write(`build/${file}`, new Uint8Array(16));
  const check = await pipeline(small, ["build", "--check"]);
  expect(check).toMatchObject({ code: 1, err: expect.stringContaining(`changed  ${file}`) as string });
  expect((await pipeline(small, ["build"])).err).toContain("1 file written");
  small.write("pipeline.ts", pipelineSource);
  expect((await pipeline(small, ["build"])).err).toContain("2 deleted");
  expect(existsSync(small.path("build/model_repository/double/warmup"))).toBe(false);
});

test("if a model fails on a sample, the model and the reason are reported, and nothing is written", async () => {
  const small = project({
    "pipeline.ts": `import { defineEnsemble, int64 } from "tritype";

export const pairs = defineEnsemble({
  name: "pairs",
  maxBatchSize: 8,
  inputs: { ids: int64("batch", -1) },
  run: ({ ids }) => ({ pairs: ids.reshape("batch", -1, 2) }),
  warmup: [{ name: "even", inputs: { ids: [[1, 2]] } }, { name: "odd", inputs: { ids: [[1, 2, 3]] } }],
});
`,
  });
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^error\[sample\/failed\]: warmup sample `odd` of `pairs` fails at `pairs_pairs`: onnx runtime error: .*Reshape/,
  );
  expect(err).toContain("┌─ pipeline.ts:8:57");
  expect(err).toContain("1 error; nothing was written");
  expect(existsSync(small.path("build"))).toBe(false);
});

test("a step that is called twice or nested has a sample for each call; equal samples are listed once", async () => {
  const nested = `${pipelineSource}
export const both = defineEnsemble({
  name: "both",
  maxBatchSize: 8,
  inputs: { a: fp32("batch", 4), b: fp32("batch", 4) },
  run({ a, b }) {
    return { sum: total({ x: a }).sum.add(total({ x: b }).sum) };
  },
  warmup: [
    { name: "two", inputs: { a: [[1, 2, 3, 4]], b: [[5, 6, 7, 8]] } },
    { name: "same", inputs: { a: [[1, 2, 3, 4]], b: [[1, 2, 3, 4]] } },
  ],
});
`;
  const small = project({ "pipeline.ts": nested });
  const built = await pipeline(small, ["build"]);
  expect(built).toMatchObject({ code: 0 });
  expect(warmupFiles(small).map((path) => path.replace("model_repository/", ""))).toEqual([
    "both_sum/warmup/same_total_a_sum",
    "both_sum/warmup/same_total_b_sum",
    "both_sum/warmup/two_total_a_sum",
    "both_sum/warmup/two_total_b_sum",
    "double/warmup/two_2_x",
    "double/warmup/two_x",
    "total_sum/warmup/two_2_y",
    "total_sum/warmup/two_y",
  ]);
  expect((await pipeline(small, ["build"])).err).toContain("nothing changed");
});

/** The kind `plain` calls no models; `caller` is declared to call models. */
const pluginConfig = `import { defineConfig } from "tritype";
import { type StepKind, textFile } from "tritype/plugin";

const python = (answer: string): string => \`import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        text = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
        \${answer}
\`;
const kind = (name: string, callsModels: boolean): StepKind => ({
  kind: name,
  read: () => ({
    diagnostics: [],
    value: {
      model: () => ({
        config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }] },
        files: new Map([["model.py", textFile(python('return pb_utils.InferenceResponse([pb_utils.Tensor("loud", text)])'))]]),
        callsModels,
      }),
    },
  }),
});

export default defineConfig({ stepKinds: [kind("plain", false), kind("caller", true)] });
`;
const pluginSource = `import { bytes, defineEnsemble } from "tritype";
import { makeStep } from "tritype/plugin";

const step = (kind: string) =>
  makeStep({
    kind,
    name: kind,
    inputs: { text: bytes("batch", 1) },
    outputs: { loud: bytes("batch", 1) },
    options: {},
    calledAs: makeStep,
  });
const plain = step("plain");
const caller = step("caller");

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => caller({ text: plain({ text }).loud }),
  warmup: [{ name: "short", inputs: { text: ["naïve"] } }],
});
`;

test("a model whose code calls models is never warmed up; a plugin's other models are warmed up", async () => {
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const small = project({ "pipeline.ts": pluginSource, "pipeline.config.ts": pluginConfig });
  const built = await pipeline(small, ["build"], { env });
  expect(built).toMatchObject({ code: 0 });
  expect(warmupFiles(small)).toEqual(["model_repository/plain/warmup/short_text"]);
  expect(readFileSync(small.path("build/model_repository/caller/config.pbtxt"), "utf8")).not.toContain(
    "model_warmup",
  );
});

test("if this machine cannot serve a model, the build has no warmup and reports the reason", async () => {
  const small = project({ "pipeline.ts": pluginSource, "pipeline.config.ts": pluginConfig });
  const { code, err } = await pipeline(small, ["build"], { env: { TRITYPE_PYTHON: "/no/python" } });
  expect(code).toBe(0);
  expect(err).toMatch(
    /^note no samples could be run, so the build has no warmup from them: `(plain|caller)`: .*\/no\/python/m,
  );
  expect(warmupFiles(small)).toEqual([]);
});

test("verify runs the samples before its own requests", async () => {
  const small = project({ "pipeline.ts": totalSource, "models/double.onnx": doubleModel() });
  const { code, out } = await pipeline(small, ["verify", "--no-triton", "--no-python", "--json"]);
  expect(code).toBe(0);
  const requests = (JSON.parse(out) as readonly { readonly request: number }[]).map(({ request }) => request);
  expect(Math.max(...requests)).toBe(4);
});
