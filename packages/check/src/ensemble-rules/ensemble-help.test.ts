import { defaultRelease } from "@tritype/triton";
import { expect, it } from "vitest";
import { graphFile } from "../onnx-rules/onnx-model.fixture.ts";
import { checkRepository } from "../read/check-repository.ts";
import { type Content, memoryRepository } from "../read/memory-repository.fixture.ts";

const findingsOf = (code: string, files: Readonly<Record<string, Content>>) =>
  checkRepository(memoryRepository(files), { release: defaultRelease }).diagnostics.filter(
    (diagnostic) => diagnostic.code === code,
  );

const ensemble = (output: string, written: string, size = ""): Readonly<Record<string, Content>> => ({
  "e/config.pbtxt": `platform: "ensemble" ${size}
input { name: "A" data_type: TYPE_FP32 dims: 2 }
output { name: "${output}" data_type: TYPE_FP32 dims: 2 }
ensemble_scheduling { step { model_name: "a" model_version: -1 input_map { key: "X" value: "A" } output_map { key: "Y" value: "${written}" } } }`,
  "e/1/x": "",
});
const graph = graphFile({ inputs: { X: "FP32[N, 2]" }, outputs: { Y: "FP32[N, 2]" } });

it("points to the step whose limit is filled in by auto-complete", () => {
  const whole = ensemble("Z", "Z", "max_batch_size: 8");
  const help = "lower `max_batch_size` of `e` to 4, or write one of 8 in `a`";
  const [written] = findingsOf("ensemble/batch-size", {
    ...whole,
    "a/config.pbtxt": 'backend: "onnxruntime"',
    "a/1/model.onnx": graph,
  });
  expect(written).toMatchObject({
    labels: [{}, { text: "auto-complete fills in max_batch_size 4" }],
    notes: [],
    help,
  });
  const [bare] = findingsOf("ensemble/batch-size", { ...whole, "a/1/model.onnx": graph });
  expect(bare?.labels.map(({ span }) => span.file)).toEqual(["e/config.pbtxt"]);
  expect(bare).toMatchObject({
    notes: ["`a` has no config.pbtxt: auto-complete fills in max_batch_size 4"],
    help,
  });
});

const identity = `backend: "identity"
input { name: "X" data_type: TYPE_FP32 dims: 2 } output { name: "Y" data_type: TYPE_FP32 dims: 2 }`;

it.each([
  ["OUT", "OUTPUT", "did you mean `OUTPUT` instead of `OUT`?"],
  ["OUTPUT__0", "OUTPUT", "did you mean `OUTPUT` instead of `OUTPUT__0`?"],
  ["SCORES", "OUTPUT", undefined],
])("suggests the tensor that output `%s` may mean, at `%s`", (output, written, help) => {
  const files = { ...ensemble(output, written), "a/config.pbtxt": identity, "a/1/x": "" };
  expect(findingsOf("ensemble/unwritten-output", files).map((found) => found.help)).toEqual([help]);
});

it("reports a cycle of tensors as a cycle, and suggests no name", () => {
  const step = (from: string, to: string): string =>
    `step { model_name: "a" model_version: -1 input_map { key: "X" value: "${from}" } output_map { key: "Y" value: "${to}" } }`;
  const circle = (...steps: readonly string[]) => ({
    "e/config.pbtxt": `platform: "ensemble"
input { name: "x" data_type: TYPE_FP32 dims: 2 }
output { name: "Z" data_type: TYPE_FP32 dims: 2 }
ensemble_scheduling { ${steps.join("\n")} }`,
    "e/1/x": "",
    "a/config.pbtxt": identity,
    "a/1/x": "",
  });
  const help = "let one step of the cycle read an input, or a tensor that exists before it";
  const beside = circle(step("x", "Z"), step("a", "b"), step("b", "a"));
  expect(findingsOf("ensemble/unused-tensor", beside)).toMatchObject([
    { message: expect.stringContaining("`a`"), notes: ["a cycle: `a` needs `b` needs `a`"], help },
    { message: expect.stringContaining("`b`"), notes: ["a cycle: `b` needs `a` needs `b`"], help },
  ]);
  const before = circle(step("x", "c"), step("a", "b"), step("b", "a"), step("b", "Z"));
  expect(findingsOf("ensemble/unwritten-output", before)).toMatchObject([
    { notes: [expect.stringMatching(/^a cycle: `(?:a` needs `b` needs `a|b` needs `a` needs `b)`$/)], help },
  ]);
});
