import { tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { describe, expect, test } from "vitest";
import {
  addModel,
  binaryModel,
  type ConfigText,
  ensembleFiles,
  fp32,
  identityModel,
  onnxFiles,
  port,
  rowFiles,
} from "../fixtures/onnx-models.ts";
import { floats, infer, reasonOf, refusal, served, shown } from "../fixtures/served.ts";

const row = (amount: number, ...name: readonly string[]) =>
  rowFiles(name[0] ?? `add${amount}`, addModel(amount, "batch", 1), 1);
const sum = onnxFiles("sum", binaryModel("Add", "batch", 1), {
  maxBatchSize: 8,
  inputs: [fp32("A", 1), fp32("B", 1)],
  outputs: [fp32("C", 1)],
});
const io = (inputs: readonly string[], outputs: readonly string[]): ConfigText => ({
  maxBatchSize: 8,
  inputs: inputs.map((name) => fp32(name, 1)),
  outputs: outputs.map((name) => fp32(name, 1)),
});

const diamond = {
  ...row(1),
  ...row(10),
  ...sum,
  ...ensembleFiles(
    "diamond",
    io(["IN"], ["OUT", "SIDE"]),
    "sum: A=left B=right C=OUT",
    "add1: X=IN Y=left",
    "add10: X=IN Y=right",
    "add10: X=left Y=SIDE",
  ),
};

test("branches are joined, regardless of the order of steps in the configuration", async () => {
  const runtime = await served(diamond);
  const answer = await infer(runtime, "diamond", { IN: floats([2, 1], 0, 5) });
  expect(shown(answer)).toEqual({ OUT: "FP32[2,1] 11 21", SIDE: "FP32[2,1] 11 16" });
  expect([...answer.outputs.keys()]).toEqual(["OUT", "SIDE"]);
  expect(answer.parameters).toEqual({ sequence_id: 0, sequence_start: false, sequence_end: false });
});

test("only the steps that the requested outputs need are run", async () => {
  const fails = buildModel(
    { name: "g", inputs: [port("X", "FP32", "batch", 1)], outputs: [port("Y", "FP32", "batch", 1)] },
    (b) => ({
      Y: b.node("Reshape", ["X", b.constant(tensorOf("INT64", [2], [7, 1]))])[0],
    }),
  );
  const runtime = await served({
    ...row(1),
    ...rowFiles("fails", fails, 1),
    ...ensembleFiles("e", io(["IN"], ["GOOD", "BAD"]), "add1: X=IN Y=GOOD", "fails: X=GOOD Y=BAD"),
  });
  expect(shown(await infer(runtime, "e", { IN: floats([1, 1], 1) }, { outputs: ["GOOD"] }))).toEqual({
    GOOD: "FP32[1,1] 2",
  });
  expect(await refusal(infer(runtime, "e", { IN: floats([1, 1], 1) }))).toMatch(
    /^model\/failed: in ensemble 'e', onnx runtime error: /,
  );
});

test("an error names all of the nested ensembles", async () => {
  const runtime = await served({
    ...diamond,
    ...ensembleFiles("outer", io(["IN"], ["LAST"]), "diamond: X=IN", "add1: X=middle Y=LAST"),
    "outer/config.pbtxt": `platform: "ensemble" max_batch_size: 8
      input { name: "IN" data_type: TYPE_FP32 dims: 1 } output { name: "LAST" data_type: TYPE_FP32 dims: 1 }
      ensemble_scheduling {
        step { model_name: "diamond" model_version: -1 input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "middle" } }
        step { model_name: "add1" model_version: 1 input_map { key: "X" value: "middle" } output_map { key: "Y" value: "LAST" } }
      }`,
  });
  expect(shown(await infer(runtime, "outer", { IN: floats([1, 1], 0) }))).toEqual({ LAST: "FP32[1,1] 12" });
});

test("a step's error contains the names of the ensembles and the request's id", async () => {
  const runtime = await served({
    ...onnxFiles("two", identityModel("FP32", "batch", 2), {
      maxBatchSize: 8,
      inputs: [fp32("X", 2)],
      outputs: [fp32("Y", 2)],
    }),
    ...ensembleFiles(
      "inner",
      { maxBatchSize: 8, inputs: [fp32("IN", -1)], outputs: [fp32("OUT", 2)] },
      "two: X=IN Y=OUT",
    ),
    "outer/config.pbtxt": `platform: "ensemble" max_batch_size: 8
      input { name: "IN" data_type: TYPE_FP32 dims: -1 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }
      ensemble_scheduling { step { model_name: "inner" model_version: -1 input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "OUT" } } }`,
    "outer/1/": "",
  });
  expect(await refusal(infer(runtime, "outer", { IN: floats([1, 3], 1, 2, 3) }, { id: "r" }))).toMatch(
    /^request\/invalid: in ensemble 'outer', in ensemble 'inner', \[request id: r\] unexpected shape for input 'X' for model 'two'\. Expected \[-1,2\], got \[1,3\]\. NOTE/,
  );
});

describe("an ensemble may combine batched and unbatched models", () => {
  const plain = onnxFiles("plain", identityModel("FP32", 2), {
    inputs: [fp32("X", 2)],
    outputs: [fp32("Y", 2)],
  });
  const wide = onnxFiles("wide", identityModel("FP32", "n", 2), {
    inputs: [fp32("X", -1, 2)],
    outputs: [fp32("Y", -1, 2)],
  });
  const rows = onnxFiles("rows", identityModel("FP32", "batch", 2), {
    maxBatchSize: 4,
    inputs: [fp32("X", 2)],
    outputs: [fp32("Y", 2)],
  });
  const e = (maxBatchSize: number, model: string) =>
    ensembleFiles(
      "e",
      { maxBatchSize, inputs: [fp32("IN", 2)], outputs: [fp32("OUT", 2)] },
      `${model}: X=IN Y=OUT`,
    );

  test("a batch of 1 is removed and restored", async () => {
    const runtime = await served({ ...plain, ...e(4, "plain") });
    expect(shown(await infer(runtime, "e", { IN: floats([1, 2], 1, 2) }))).toEqual({ OUT: "FP32[1,2] 1 2" });
    expect(await refusal(infer(runtime, "e", { IN: floats([3, 2], 1, 2, 3, 4, 5, 6) }))).toBe(
      "request/invalid: in ensemble 'e', [request id: <id_unknown>] unexpected shape for input 'X' for model 'plain'. Expected [2], got [3,2]. ",
    );
  });
  test("an unbatched model may accept the rows unchanged", async () => {
    const runtime = await served({ ...wide, ...e(4, "wide") });
    expect(shown(await infer(runtime, "e", { IN: floats([2, 2], 1, 2, 3, 4) }))).toEqual({
      OUT: "FP32[2,2] 1 2 3 4",
    });
  });
  test("an ensemble without batching may call a batched model", async () => {
    const runtime = await served({ ...rows, ...e(0, "rows") });
    expect(shown(await infer(runtime, "e", { IN: floats([2], 1, 2) }))).toEqual({ OUT: "FP32[2] 1 2" });
  });
});

describe("an ensemble that cannot be served is reported with the reason", () => {
  const simple = io(["IN"], ["OUT"]);
  const e = (config: ConfigText, ...steps: readonly string[]) => ({
    ...row(1),
    ...sum,
    ...ensembleFiles("e", config, ...steps),
  });
  test.each([
    [
      "a missing model",
      e(simple, "nobody: X=IN Y=OUT"),
      "ensemble e contains models that are not available or ambiguous: nobody",
    ],
    [
      "a version that does not exist",
      e(simple, "add1@3: X=IN Y=OUT"),
      "ensemble 'e' depends on 'add1' whose required version 3 is not loaded.",
    ],
    [
      "an unmapped input",
      e(simple, "sum: A=IN C=OUT"),
      "in ensemble e, input B in model sum is not mapped to any ensemble tensors",
    ],
    [
      "an unknown input",
      e(simple, "add1: X=IN XX=IN Y=OUT"),
      "in ensemble e, ensemble tensor IN is mapping to non-existing input XX in model add1",
    ],
    [
      "an unknown output",
      e(simple, "add1: X=IN Z=OUT"),
      "in ensemble e, ensemble tensor OUT is mapped from non-existing output Z in model add1",
    ],
    [
      "a larger batch",
      e({ ...simple, maxBatchSize: 16 }, "add1: X=IN Y=OUT"),
      "ensemble e allows maximum batch size 16, but it contains model add1 which only allows maximum batch size to be 8",
    ],
    [
      "another dtype",
      e({ ...simple, inputs: [{ name: "IN", dtype: "INT32", dims: [1] }] }, "add1: X=IN Y=OUT"),
      "in ensemble e, ensemble tensor IN: inconsistent data type: TYPE_INT32 is inferred from model e while TYPE_FP32 is inferred from model add1",
    ],
    [
      "another shape",
      e({ ...simple, inputs: [fp32("IN", 3)] }, "add1: X=IN Y=OUT"),
      "in ensemble e, ensemble tensor IN: inconsistent shape: [-1,3] is inferred from model e while [-1,1] is inferred from model add1",
    ],
    ["no steps", e(simple), "must specify 'step' for ensemble 'e'"],
    [
      "a tensor produced twice",
      e(simple, "add1: X=IN Y=OUT", "add1: X=IN Y=OUT"),
      "ensemble tensor 'OUT' can appear in an output map only once for ensemble 'e' step 1",
    ],
    [
      "an output that no step produces",
      e(simple, "add1: X=IN Y=other"),
      "ensemble output 'OUT' for ensemble e' is not used",
    ],
    [
      "steps in a cycle",
      e(simple, "sum: A=IN B=b C=OUT", "add1: X=OUT Y=b"),
      "output 'OUT' for ensemble 'e' is not written: at least one of its depending tensors, 'b', is not connected",
    ],
    [
      "a step that writes an input",
      e(simple, "add1: X=IN Y=IN", "add1: X=IN Y=OUT"),
      "step 0 of ensemble `e` writes `IN`, which is an input of the ensemble",
    ],
    [
      "ensembles in a cycle",
      { ...e(simple, "f: X=IN Y=OUT"), ...ensembleFiles("f", simple, "e: X=IN Y=OUT") },
      "circular dependency between ensembles: e -> f -> e",
    ],
  ])("%s", async (_, files, reason) => {
    const runtime = await served(files);
    expect(reasonOf(runtime, "e")).toBe(reason);
    expect(reasonOf(runtime, "add1")).toBe("ready");
  });
  test("if a step's model is broken, the error includes the reason", async () => {
    const runtime = await served({
      ...rowFiles("half", identityModel("FP32", "batch", 1), 2),
      ...ensembleFiles("e", simple, "half: X=IN Y=OUT"),
      ...ensembleFiles("f", simple, "e: X=IN Y=OUT"),
    });
    const half = reasonOf(runtime, "half");
    expect(half).toMatch(/^model 'half', tensor 'X': the model expects/);
    const e = `ensemble 'e' depends on 'half' which has no loaded version. Model 'half' loading failed with error: version 1 is at UNAVAILABLE state: Invalid argument: ${half};`;
    expect(reasonOf(runtime, "e")).toBe(e);
    expect(reasonOf(runtime, "f")).toBe(
      `ensemble 'f' depends on 'e' which is not valid. Model 'e' failed with error: ${e}`,
    );
  });
});

test("closing waits for running ensembles", async () => {
  const runtime = await served(diamond);
  const running = Array.from({ length: 30 }, (_, i) => infer(runtime, "diamond", { IN: floats([1, 1], i) }));
  await runtime.close();
  expect((await Promise.all(running)).map((answer) => shown(answer)["OUT"])).toEqual(
    Array.from({ length: 30 }, (_, i) => `FP32[1,1] ${2 * i + 11}`),
  );
});
