import { defineEnsemble, fp32, onnx } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";
import type { Compilation } from "../compile.ts";

const model = buildModel(
  {
    name: "m",
    inputs: [{ name: "x", type: fp32("batch", 4) }],
    outputs: [{ name: "y", type: fp32("batch", 4) }],
  },
  (builder) => ({ y: builder.node("Relu", ["x"])[0] }),
);
const stateful = buildModel(
  {
    name: "s",
    inputs: [
      { name: "x", type: fp32("batch", 4) },
      { name: "START", type: fp32("batch", 1) },
      { name: "past", type: fp32("batch", 4) },
    ],
    outputs: [
      { name: "y", type: fp32("batch", 4) },
      { name: "present", type: fp32("batch", 4) },
    ],
  },
  (builder) => {
    const [sum] = builder.node("Add", ["x", "past"]);
    return { y: builder.node("Mul", [sum, "START"])[0], present: sum };
  },
);
const files = {
  "m.onnx": model,
  "s.onnx": stateful,
  "labels/emotions.txt": new Uint8Array([97, 10, 98]),
  "data/start.bin": new Uint8Array(16),
  "a/ops.so": new Uint8Array([1]),
  "a/./ops.so": new Uint8Array([1]),
  "b/ops.so": new Uint8Array([2]),
  "ops.so": new Uint8Array([3]),
  "other/model.onnx": new Uint8Array([4]),
};

const compileWith = (fields: object, file = "m.onnx"): Compilation => {
  const step = onnx({
    name: "m",
    file,
    inputs: { x: fp32("batch", 4) },
    outputs: { y: fp32("batch", 4) },
    ...fields,
  });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", 4) },
    run: ({ x }) => ({ z: step({ x }).y }),
  });
  return compileInMemory([ensemble], files);
};
const configWith = (fields: object, file?: string): string =>
  emittedText(compileWith(fields, file), "model_repository/m/config.pbtxt");
const messages = ({ diagnostics }: Compilation): readonly string[] =>
  diagnostics.map(({ code, message }) => `${code}: ${message}`);

test("labels are copied into the model's folder under the name in the configuration", () => {
  const compilation = compileWith({ outputFields: { y: { labelFilename: "labels/emotions.txt" } } });
  expect(emittedText(compilation, "model_repository/m/config.pbtxt")).toContain(
    'label_filename: "emotions.txt"',
  );
  expect(compilation.build?.tree.get("model_repository/m/emotions.txt")).toMatchObject({
    kind: "copy",
    from: "labels/emotions.txt",
  });
});

test("files with the same name do not replace each other, nor the model", () => {
  const compilation = compileWith({
    outputFields: { y: { labelFilename: "labels/emotions.txt" } },
    modelOperations: {
      opLibraryFilename: ["a/ops.so", "b/ops.so", "a/./ops.so", "ops.so", "other/model.onnx"],
    },
  });
  expect(emittedText(compilation, "model_repository/m/config.pbtxt")).toContain(
    'op_library_filename: [ "ops.so", "b_ops.so", "ops.so", "084fed08_ops.so", "other_model.onnx" ]',
  );
  const tree = compilation.build?.tree;
  const from = (name: string): unknown => tree?.get(`model_repository/m/1/${name}`);
  expect(["ops.so", "b_ops.so", "other_model.onnx"].map(from)).toMatchObject([
    { from: "a/ops.so" },
    { from: "b/ops.so" },
    { from: "other/model.onnx" },
  ]);
  expect(from("model.onnx")).toMatchObject({ from: "m.onnx" });
});

test("the error names a missing file", () => {
  expect(messages(compileWith({ outputFields: { y: { labelFilename: "labels/none.txt" } } }))).toEqual([
    "model/file-not-found: configuration of `m`: `labels/none.txt` does not exist",
  ]);
});

test("a sequence's controls and states are inputs that the step does not declare; initial data is copied", () => {
  const sequenceBatching = {
    strategy: { oldest: { maxCandidateSequences: 4 } },
    maxSequenceIdle: "5s",
    controlInput: [{ name: "START", control: [{ kind: "start", fp32FalseTrue: [0, 1] }] }],
    state: [
      {
        inputName: "past",
        outputName: "present",
        dataType: "FP32",
        dims: [4],
        initialState: [{ name: "zeros", dataType: "FP32", dims: [4], dataFile: "data/start.bin" }],
      },
    ],
  };
  const compilation = compileWith({ sequenceBatching }, "s.onnx");
  expect(messages(compilation)).toEqual([]);
  const text = emittedText(compilation, "model_repository/m/config.pbtxt");
  for (const line of [
    "max_sequence_idle_microseconds: 5000000",
    "max_candidate_sequences: 4",
    "CONTROL_SEQUENCE_START",
    'data_file: "start.bin"',
    "data_type: TYPE_FP32",
  ])
    expect(text).toContain(line);
  expect(compilation.build?.tree.has("model_repository/m/initial_state/start.bin")).toBe(true);
});

test("two schedulers are mutually exclusive", () => {
  expect(messages(compileWith({ dynamicBatching: {}, sequenceBatching: {} }))).toEqual([
    "model/bad-field: configuration of `m`: dynamicBatching and sequenceBatching are mutually exclusive",
  ]);
});

test("raw replaces fields with the same name and adds others", () => {
  const text = configWith({
    raw: 'metric_tags { key: "team" value: "search" }\ninstance_group [ { kind: KIND_CPU count: 3 } ]',
  });
  expect(text).toContain('metric_tags { key: "team" value: "search" }');
  expect(text).toMatch(/instance_group \[\s+\{\s+kind: KIND_CPU\s+count: 3/);
  expect(text.match(/instance_group/g)).toHaveLength(1);
});

test.each([
  ["max_batch_siz: 3", /^model\/bad-field: configuration of `m`: raw, line 1: .*max_batch_siz/],
  ['name: "other"', /^model\/bad-field: configuration of `m`: raw names the model `other`$/],
])("raw %s is refused", (raw, message) => {
  expect(messages(compileWith({ raw }))).toEqual([expect.stringMatching(message)]);
});
