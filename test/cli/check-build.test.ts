import { existsSync } from "node:fs";
import { checkBuild } from "@tritype/project";
import { defaultRelease, type ModelConfig } from "@tritype/triton";
import { expect, onTestFinished, test, vi } from "vitest";
import { identityModel } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { runIn } from "./check-fixture.ts";
import { pipelineSource, project } from "./small-project.ts";

/** The small pipeline with these lines added to the options of its step `double`, starting at line 6. */
const withOptions = (options: string, source = pipelineSource) =>
  source.replace('  file: "models/double.onnx",', `  file: "models/double.onnx",\n${options}`);

const buildOf = async (source: string, files: Readonly<Record<string, string | Uint8Array>> = {}) => {
  const small = project({ "pipeline.ts": source, ...files });
  return { small, ...(await runIn(small.root, "build")) };
};

test("fields of the author that Triton would refuse are reported at the property", async () => {
  const { small, code, err } = await buildOf(
    withOptions('  parameters: {\n    enable_mem_arena: "maybe",\n  },'),
  );
  expect(code).toBe(1);
  expect(err).toMatch(/^error\[backend\/onnx-[\w-]+\]: .*maybe/);
  expect(err).toContain(' ┌─ pipeline.ts:7:5\n7│     enable_mem_arena: "maybe",\n │     ^^^^^^^^^^^^^^^^');
  expect(err).not.toContain("config.pbtxt");
  expect(err).toContain("Triton would refuse the build; nothing was written\n");
  expect(existsSync(small.path("build"))).toBe(false);
  expect((await runIn(small.root, "build", "--check")).code).toBe(1);
});

test("a declared type that the backend does not have is the author's error, and not a bug in tritype", async () => {
  const files = { "models/double.onnx": identityModel("BF16", "batch", 4) };
  const source = pipelineSource
    .replaceAll("fp32", "bf16")
    .replace(/(file: .*?)x: (.*?)y: /s, "$1X: $2Y: ")
    .replace("const { y } = double({ x });", "return double({ X: x });")
    .replace(/ +return \{ sum.*\n/, "");
  const { code, err } = await buildOf(source, files);
  expect(code).toBe(1);
  expect(err.match(/^error\[.*\]/gm)).toEqual(["error[onnx-model/bf16]", "error[onnx-model/bf16]"]);
  expect(err).not.toContain("bug in tritype");
});

const profiles = { "pipeline.config.ts": "export default { profiles: { gpu: {}, cpu: {} } };\n" };

test("a mistake in all profiles is reported once, one in a single profile with the profile's name", async () => {
  const batching = "dynamicBatching: { preserveOrdering: true, priorityLevels: 3, defaultPriorityLevel: 1 }";
  const all = await buildOf(withOptions(`  ${batching},`), profiles);
  expect(all.err.match(/^error\[/gm)).toHaveLength(1);
  expect(all.err).toContain("pipeline.ts:6:22\n");
  expect(all.err).not.toContain("= note: only");
  const one = await buildOf(withOptions(`  profiles: { gpu: { ${batching} } },`), profiles);
  expect(one.err.match(/^error\[/gm)).toHaveLength(1);
  expect(one.err).toMatch(/pipeline\.ts:6:\d+\n/);
  expect(one.err).toContain("= note: only with the profile `gpu`");
});

test("fields of tensors and of an ensemble's members are reported too", async () => {
  const reshape = await buildOf(
    withOptions("  inputFields: {\n    x: { reshape: { shape: [4] } },\n  },").replaceAll(
      '{ x: fp32("batch", 4) }',
      '{ x: fp32("batch", 8) }',
    ),
  );
  expect(reshape.err).toContain("error[tensor/reshape-size]");
  expect(reshape.err).toContain(" ┌─ pipeline.ts:7:21\n");
  expect(reshape.err).toContain(
    ' ├─ pipeline.ts:9:13\n9│   inputs: { x: fp32("batch", 8) },\n │             - [8]\n',
  );
  const members = await buildOf(
    pipelineSource.replace(
      "  maxBatchSize: 8,",
      "  maxBatchSize: 8,\n  members: { dynamicBatching: { priorityLevels: 2, defaultPriorityLevel: 5 } },",
    ),
  );
  expect(members.err).toContain("error[batch/default-priority]");
  expect(members.err).toMatch(/pipeline\.ts:13:\d+\n/);
});

test("findings are reported together with the errors of other definitions", async () => {
  const { err } = await buildOf(
    withOptions('  parameters: { enable_mem_arena: "maybe" },').replace('name: "total"', 'name: "to tal"'),
  );
  expect(err).toContain("error[model/bad-name]");
  expect(err).toMatch(/error\[backend\/onnx-[\w-]+\]: .*maybe/);
  expect(err).toContain("2 errors; nothing was written");
});

test("a fragment that replaces the compiler's output is checked", async () => {
  const { code, err } = await buildOf(withOptions("  raw: 'platform: \"tensorrt_plan\"',"));
  expect(code).toBe(1);
  expect(err).toContain("pipeline.ts:6:3\n");
  expect(err).not.toContain("the compiler wrote this");
});

test.each([
  ["its own model", "max_batch_size: -1", "batch/negative-size"],
  ["an ensemble", "max_batch_size: 0", "ensemble/"],
])("an error that a fragment causes in %s is the author's, at the fragment", async (_, raw, reported) => {
  const { code, err } = await buildOf(withOptions(`  raw: "${raw}",`));
  expect(code).toBe(1);
  expect(err).toContain(`error[${reported}`);
  expect(err).toContain("pipeline.ts:6:3\n");
  expect(err).not.toContain("bug in tritype");
});

test("a field that the compiler sets and Triton refuses is reported as our bug, at the step", () => {
  const definedAt = { file: "pipeline.ts", line: 3, column: 1 };
  const judge = (config: ModelConfig, authors: boolean, rawAt?: typeof definedAt) =>
    checkBuild(
      {
        tree: new Map([
          ["model_repository/a/config.pbtxt", { kind: "text", text: "" } as const],
          ["model_repository/a/1/model.py", { kind: "text", text: "" } as const],
        ]),
        manifest: { models: [], requirements: [] },
        models: [
          {
            name: "a",
            definedAt,
            rawAt,
            configs: new Map([[undefined, { config, placeOf: () => ({ authors, span: undefined }) }]]),
          },
        ],
      },
      { release: defaultRelease },
    );
  const { authors, ours } = judge({ name: "b", backend: "python" }, false);
  expect(authors).toEqual([]);
  expect(ours.map(({ code }) => code)).toContain("config/folder-name");
  expect(ours[0]?.labels[0]?.span).toEqual(definedAt);
  expect(judge({ name: "b", backend: "python" }, true).authors.map(({ code }) => code)).toContain(
    "config/folder-name",
  );
  const raw = judge({ name: "b", backend: "python" }, false, { ...definedAt, line: 5 });
  expect(raw.ours).toEqual([]);
  expect(raw.authors.map(({ code, labels }) => [code, labels[0]])).toContainEqual([
    "config/folder-name",
    { span: { ...definedAt, line: 5 }, text: "replaces fields of `a`" },
  ]);
});

const sumStep = (tensor: string, array: string): string => `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("${tensor}", ${array})]))
        return responses
`;

test.each([
  ["makes another tensor", sumStep("y", "x.sum(-1, keepdims=True)"), "python/missing-output"],
  ["makes another dtype", sumStep("total", "x.astype(np.float64)"), "python/wrong-dtype"],
])(
  "Python that %s than its step declares is an error in its file, before any sample runs",
  async (_, python, code) => {
    const source = `import { defineEnsemble, fp32, python } from "tritype";
const s = python({ name: "sum", file: "steps/sum.py", inputs: { x: fp32("batch", 4) }, outputs: { total: fp32("batch", 1) } });
export const e = defineEnsemble({
  name: "e", maxBatchSize: 4, inputs: { x: fp32("batch", 4) }, run: (x) => s(x), warmup: [{ inputs: { x: [[1, 2, 3, 4]] } }],
});
`;
    const built = await buildOf(source, { "steps/sum.py": python });
    expect(built.code).toBe(1);
    expect(built.err).toContain(`error[${code}]`);
    expect(built.err).toContain("steps/sum.py:");
    expect(built.err).not.toContain("sample/failed");
    expect(built.err).toContain("1 error; nothing was written");
  },
);

test("a misspelt parameter of an ONNX model or of FIL is reported", async () => {
  const { err } = await buildOf(withOptions("  parameters: { intra_op_thread_cout: 1, owner: 'me' },"));
  expect(err).toContain(
    "error[backend/misspelt-parameter]: the onnxruntime backend ignores the parameter `intra_op_thread_cout` of `double`",
  );
  expect(err).toContain("pipeline.ts:6:17\n");
  expect(err).toContain("= help: did you mean `intra_op_thread_count`?");
  expect(err).toContain("1 error;");
});

test("without Python the build has no warmup from samples and reports it", async () => {
  vi.stubEnv("TRITYPE_PYTHON", "no-such-python");
  onTestFinished(() => void vi.unstubAllEnvs());
  const source = `import { defineEnsemble, fp32, python } from "tritype";
const s = python({ name: "sum", file: "steps/sum.py", inputs: { x: fp32("batch", 4) }, outputs: { total: fp32("batch", 1) } });
export const e = defineEnsemble({
  name: "e", maxBatchSize: 4, inputs: { x: fp32("batch", 4) }, run: (x) => s(x), warmup: [{ inputs: { x: [[1, 2, 3, 4]] } }],
});
`;
  const { small, code, err } = await buildOf(source, {
    "steps/sum.py": sumStep("total", "x.sum(-1, keepdims=True)"),
  });
  expect(err).toContain("no samples could be run, so the build has no warmup from them: `sum`: No Python");
  expect(err).toContain("set TRITYPE_PYTHON");
  expect(code).toBe(0);
  expect(existsSync(small.path("build/model_repository/sum/warmup"))).toBe(false);
});
