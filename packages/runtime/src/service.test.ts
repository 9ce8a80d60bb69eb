import { type TensorData, tensorOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import {
  addModel,
  binaryModel,
  ensembleFiles,
  fp32,
  identityModel,
  onnxFiles,
  rowFiles,
  slowModel,
} from "./fixtures/onnx-models.ts";
import { floats, infer, reasonOf, refusal, served, shown } from "./fixtures/served.ts";

const pair = onnxFiles("add", binaryModel("Add", "batch", 2), {
  maxBatchSize: 4,
  inputs: [fp32("A", 2), fp32("B", 2)],
  outputs: [fp32("C", 2)],
});
const ones = floats([1, 2], 1, 1);
const unknown = "request/invalid: [request id: <id_unknown>]";
const note =
  "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each input shape. If you want to specify the full shape including the batch dim in your input dims config, try setting max_batch_size to zero. See the model configuration docs for more info on max_batch_size.";

test("an invalid request gets Triton's message", async () => {
  const bytes = onnxFiles("bytes", identityModel("BYTES", "n"), {
    inputs: [{ name: "X", dtype: "BYTES", dims: [-1] }],
    outputs: [{ name: "Y", dtype: "BYTES", dims: [-1] }],
  });
  const cases: readonly (readonly [
    string,
    Parameters<typeof infer>[1],
    Parameters<typeof infer>[2],
    string,
    Parameters<typeof infer>[3]?,
  ])[] = [
    ["unknown model", "zzz", {}, "model/not-found: Request for unknown model: 'zzz' is not found"],
    [
      "unknown version",
      "add",
      {},
      "model/not-found: Request for unknown model: 'add' version 7 is not found",
      { version: "7" },
    ],
    [
      "missing input",
      "add",
      { A: ones },
      `${unknown} expected 2 inputs but got 1 inputs for model 'add'. Got input(s) ['A'], but missing required input(s) ['B']. Please provide all required input(s).`,
    ],
    [
      "the client's id",
      "add",
      { A: ones },
      "request/invalid: [request id: r1] expected 2 inputs but got 1 inputs for model 'add'. Got input(s) ['A'], but missing required input(s) ['B']. Please provide all required input(s).",
      { id: "r1" },
    ],
    [
      "no input",
      "add",
      {},
      `${unknown} expected 2 inputs but got 0 inputs for model 'add'. Got input(s) [], but missing required input(s) ['A','B']. Please provide all required input(s).`,
    ],
    [
      "extra input",
      "add",
      { A: ones, B: ones, Z: ones },
      `${unknown} expected 2 inputs but got 3 inputs for model 'add'. Got input(s) ['Z','B','A'], but missing required input(s) ]. Please provide all required input(s).`,
    ],
    [
      "unknown input",
      "add",
      { A: ones, Z: ones },
      "request/invalid: unexpected inference input 'Z' for model 'add'",
    ],
    [
      "unknown output",
      "add",
      { A: ones, B: ones },
      "request/invalid: unexpected inference output 'NOPE' for model 'add'",
      { outputs: ["C", "NOPE"] },
    ],
    [
      "dtype",
      "add",
      { A: ones, B: tensorOf("INT32", [1, 2], [1, 1]) },
      `${unknown} inference input 'B' data-type is 'INT32', but model 'add' expects 'FP32'`,
    ],
    [
      "shape",
      "add",
      { A: ones, B: floats([1, 3], 1, 1, 1) },
      `${unknown} unexpected shape for input 'B' for model 'add'. Expected [-1,2], got [1,3]. ${note}`,
    ],
    [
      "no batch dim",
      "add",
      { A: floats([2], 1, 1), B: floats([2], 1, 1) },
      `${unknown} unexpected shape for input 'B' for model 'add'. Expected [-1,2], got [2]. ${note}`,
    ],
    [
      "scalar",
      "add",
      { A: floats([], 1), B: ones },
      `${unknown} input 'A' has no shape but model requires batch dimension for 'add'`,
    ],
    [
      "batch mismatch",
      "add",
      { A: ones, B: floats([2, 2], 1, 1, 1, 1) },
      `${unknown} input 'A' batch size does not match other inputs for 'add'`,
    ],
    [
      "batch over the maximum",
      "add",
      { A: floats([5, 2], ...Array<number>(10).fill(0)), B: floats([5, 2], ...Array<number>(10).fill(0)) },
      `${unknown} inference request batch-size must be <= 4 for 'add'`,
    ],
    [
      "batch of 0",
      "add",
      { A: floats([0, 2]), B: floats([0, 2]) },
      `${unknown} input byte size mismatch for input 'B' for model 'add'. Expected 8, got 0`,
    ],
    [
      "too few bytes",
      "add",
      { A: ones, B: { dtype: "FP32", shape: [1, 2], data: new Uint8Array(4) } },
      `${unknown} input byte size mismatch for input 'B' for model 'add'. Expected 8, got 4`,
    ],
    [
      "shape of a model without batch",
      "bytes",
      { X: tensorOf("BYTES", [1, 1], ["a"]) },
      `${unknown} unexpected shape for input 'X' for model 'bytes'. Expected [-1], got [1,1]. `,
    ],
    [
      "number of strings",
      "bytes",
      { X: { dtype: "BYTES", shape: [3], data: [new Uint8Array()] } },
      `${unknown} expected 3 string elements for inference input 'X' for model 'bytes', got 1`,
    ],
  ];
  const runtime = await served({ ...pair, ...bytes });
  const texts = cases.map(async ([name, model, inputs, , more]) => [
    name,
    await refusal(infer(runtime, model, inputs, more)),
  ]);
  expect(Object.fromEntries(await Promise.all(texts))).toEqual(
    Object.fromEntries(cases.map(([name, , , text]) => [name, text])),
  );
});

describe("answers", () => {
  test("inputs may be in any order; if no outputs are named, all are returned", async () => {
    const runtime = await served(pair);
    const answer = await infer(
      runtime,
      "add",
      { B: ones, A: floats([1, 2], 2, 3) },
      { id: "q", outputs: [] },
    );
    expect(shown(answer)).toEqual({ C: "FP32[1,2] 3 4" });
    expect({ ...answer, outputs: undefined }).toEqual({
      model: "add",
      version: "1",
      id: "q",
      outputs: undefined,
    });
  });
  test("the latest version answers unless the request specifies another one", async () => {
    const runtime = await served({
      ...onnxFiles("m", addModel(1, "batch", 1), {
        maxBatchSize: 8,
        inputs: [fp32("X", 1)],
        outputs: [fp32("Y", 1)],
        extra: "version_policy { all { } }",
      }),
      "m/2/model.onnx": addModel(2, "batch", 1),
      "m/10/model.onnx": addModel(10, "batch", 1),
      "m/notes/readme.txt": "no version",
    });
    const answers = [undefined, "1", "2"].map((version) =>
      infer(runtime, "m", { X: floats([1, 1], 0) }, version === undefined ? {} : { version }),
    );
    expect((await Promise.all(answers)).map((answer) => [answer.version, shown(answer)["Y"]])).toEqual([
      ["10", "FP32[1,1] 10"],
      ["1", "FP32[1,1] 1"],
      ["2", "FP32[1,1] 2"],
    ]);
    expect(runtime.modelMetadata("m").versions).toEqual(["1", "2", "10"]);
    expect(runtime.modelMetadata("m", "2").versions).toEqual(["2"]);
  });
});

test("a model without a version is not in the index; its reason is shown", async () => {
  const runtime = await served({ ...pair, "none/config.pbtxt": 'backend: "python"' });
  const reason = "at least one version must be available under the version policy of model 'none'";
  expect((await runtime.index()).map(({ name }) => name)).not.toContain("none");
  expect(runtime.models()).toContainEqual({
    name: "none",
    state: "UNAVAILABLE",
    reason,
    help: "every model, even an ensemble, needs a folder for its version, such as '1'",
  });
  expect(() => runtime.modelConfig("none")).toThrow(`'none' has no available versions: ${reason}`);
});

test("metadata and configuration are the same as Triton's", async () => {
  const runtime = await served(pair);
  expect(runtime.modelMetadata("add")).toEqual({
    name: "add",
    versions: ["1"],
    platform: "onnxruntime_onnx",
    inputs: [
      { name: "A", datatype: "FP32", shape: [-1, 2] },
      { name: "B", datatype: "FP32", shape: [-1, 2] },
    ],
    outputs: [{ name: "C", datatype: "FP32", shape: [-1, 2] }],
  });
  expect(runtime.modelConfig("add")).toMatchObject({
    name: "add",
    platform: "onnxruntime_onnx",
    default_model_filename: "model.onnx",
    version_policy: { latest: { num_versions: 1 } },
    instance_group: [{ name: "add", kind: "KIND_CPU", count: 2, gpus: [] }],
  });
  expect(runtime.serverMetadata()).toMatchObject({
    name: "triton",
    version: expect.stringMatching(/^2\.51\.0\+tritype\.\d+\.\d+\.\d+/) as string,
  });
  expect([
    runtime.live,
    runtime.ready,
    runtime.modelReady("add"),
    runtime.modelReady("add", "2"),
    runtime.modelReady("zzz"),
  ]).toEqual([true, true, true, false, false]);
});

test("a broken model does not affect the others, and reports the reason", async () => {
  const good = identityModel("FP32", "batch", 1);
  const runtime = await served({
    ...rowFiles("good", good, 1),
    ...rowFiles("half", good.subarray(0, 20), 1),
    "text/config.pbtxt": 'name: "text"\nmax_batch_siz: 4\n',
    "text/1/model.onnx": good,
    "nothing/readme.txt": "",
    "engine/config.pbtxt":
      'backend: "tensorrt" max_batch_size: 1 input { name: "X" data_type: TYPE_FP32 dims: 1 } output { name: "Y" data_type: TYPE_FP32 dims: 1 }',
    "engine/1/model.plan": "",
    ...ensembleFiles(
      "both",
      { maxBatchSize: 1, inputs: [fp32("X", 1)], outputs: [fp32("Y", 1)] },
      "engine: X=X Y=Y",
    ),
  });
  expect(shown(await infer(runtime, "good", { X: floats([1, 1], 5) }))).toEqual({ Y: "FP32[1,1] 5" });
  expect(runtime.models().map(({ name, version, state }) => [name, version, state])).toEqual([
    ["both", undefined, "UNAVAILABLE"],
    ["engine", "1", "UNAVAILABLE"],
    ["good", "1", "READY"],
    ["half", "1", "UNAVAILABLE"],
    ["nothing", undefined, "UNAVAILABLE"],
    ["text", undefined, "UNAVAILABLE"],
  ]);
  expect(reasonOf(runtime, "text")).toMatch(
    /^failed to read text proto from .*config.pbtxt: .*max_batch_siz.* \(line 2\)$/,
  );
  expect(reasonOf(runtime, "nothing")).toBe(
    "Invalid model name: Could not determine backend for model 'nothing' with no backend in model configuration. Expected model name of the form 'model.<backend_name>'.",
  );
  expect(reasonOf(runtime, "engine")).toBe(
    "model 'engine' needs the backend 'tensorrt', which the local runtime does not have (it has onnxruntime, python and ensembles)",
  );
  expect(await refusal(infer(runtime, "half", {}))).toBe(
    `model/not-found: Request for unknown model: 'half' has no available versions: ${reasonOf(runtime, "half")}`,
  );
  expect(await refusal(infer(runtime, "half", {}, { version: "1" }))).toBe(
    `model/unavailable: Request for unknown model: 'half' version 1 is not at ready state: ${reasonOf(runtime, "half")}`,
  );
  await expect(infer(runtime, "both", {})).rejects.toMatchObject({
    message:
      "Request for unknown model: 'both' has no available versions: ensemble 'both' depends on 'engine' which has no loaded version. " +
      `Model 'engine' loading failed with error: version 1 is at UNAVAILABLE state: Invalid argument: ${reasonOf(runtime, "engine")};`,
    help: expect.stringContaining("pipeline triton serve") as string,
  });
  expect(runtime.ready).toBe(false);
});

describe("under load", () => {
  test("50 simultaneous requests each get their own response", async () => {
    const runtime = await served(pair);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        infer(runtime, "add", { A: floats([1, 2], i, 0), B: ones }, { id: `${i}` }),
      ),
    );
    expect(answers.map((answer) => `${answer.id}: ${shown(answer)["C"]}`)).toEqual(
      Array.from({ length: 50 }, (_, i) => `${i}: FP32[1,2] ${i + 1} 1`),
    );
  });

  const slow = (size: number) =>
    onnxFiles("slow", slowModel(size, 100), {
      inputs: [fp32("X", size, size)],
      outputs: [fp32("Y", size, size)],
      extra: 'parameters { key: "intra_op_thread_count" value { string_value: "1" } }',
    });
  const matrix = (size: number): TensorData => ({
    dtype: "FP32",
    shape: [size, size],
    data: new Uint8Array(size * size * 4),
  });

  test("the event loop is not blocked while a model runs", async () => {
    const runtime = await served(slow(512));
    const X = matrix(512);
    const call = { running: true };
    const answer = infer(runtime, "slow", { X }).finally(() => (call.running = false));
    let turns = 0;
    for (; call.running; turns++) await new Promise((resolve) => setImmediate(resolve));
    await answer;
    expect(turns).toBeGreaterThan(100);
  });
  test("close completes running requests and refuses later ones", async () => {
    const runtime = await served(slow(128));
    const X = matrix(128);
    const running = Array.from({ length: 4 }, () => infer(runtime, "slow", { X }));
    const closed = runtime.close();
    expect(await refusal(infer(runtime, "slow", { X }))).toBe("model/unavailable: Server is stopping");
    expect((await Promise.all(running)).length).toBe(4);
    await closed;
    expect([runtime.ready, runtime.modelReady("slow")]).toEqual([false, false]);
  });
});
