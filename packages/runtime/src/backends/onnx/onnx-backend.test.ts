import { type DType, dtypes, encodeUtf8, type TensorData, tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { describe, expect, test } from "vitest";
import {
  addModel,
  binaryModel,
  fp32,
  identityModel,
  onnxFiles,
  port,
  rowFiles,
} from "../../fixtures/onnx-models.ts";
import type { ModelStatistics } from "../../statistics/model-statistics.ts";
import { floats, infer, reasonOf, refusal, served, shown } from "../../fixtures/served.ts";
import { ortTypes } from "./ort-types.ts";

const samples: Readonly<Partial<Record<DType, readonly (number | bigint | boolean | string)[]>>> = {
  BOOL: [true, false, true, true],
  UINT64: [0n, 1n, 2n ** 53n + 1n, 2n ** 64n - 1n],
  INT64: [-1n, 1n, 2n ** 53n + 1n, -(2n ** 63n)],
  FP16: [-0, 1.5, 65504, 2 ** -24],
  FP32: [-0, 1.5, Number.NaN, Number.POSITIVE_INFINITY],
  FP64: [-0, 0.1, Number.MAX_VALUE, Number.NEGATIVE_INFINITY],
  BYTES: ["", "text", "日本語 👩‍👧", "line\nline"],
};
const dtypesOfOrt = Object.keys(ortTypes) as DType[];

describe("tensors pass through unchanged", () => {
  const identity = (dtype: DType) =>
    onnxFiles("m", identityModel(dtype, "n", 2), {
      inputs: [{ name: "X", dtype, dims: [-1, 2] }],
      outputs: [{ name: "Y", dtype, dims: [-1, 2] }],
    });

  test.each(dtypesOfOrt)("%s", async (dtype) => {
    const runtime = await served(identity(dtype));
    const tensor = tensorOf(dtype, [2, 2], samples[dtype] ?? [0, 1, 100, 127]);
    const { outputs } = await infer(runtime, "m", { X: tensor });
    expect(outputs.get("Y")).toEqual(tensor);
  });
  test("no elements", async () => {
    const runtime = await served(identity("FP32"));
    expect(shown(await infer(runtime, "m", { X: floats([0, 2]) }))).toEqual({ Y: "FP32[0,2] " });
  });
  test("a tensor may be part of a larger buffer, at an unaligned address", async () => {
    const runtime = await served(identity("FP32"));
    const memory = new Uint8Array(64).fill(7);
    memory.set((floats([1, 2], 3, 4) as { data: Uint8Array }).data, 5);
    const data = Buffer.from(memory.buffer, 5, 8);
    const view: TensorData = { dtype: "FP32", shape: [1, 2], data };
    expect(shown(await infer(runtime, "m", { X: view }))).toEqual({ Y: "FP32[1,2] 3 4" });
    expect(data.byteLength).toBe(8);
  });
  test("the client keeps the memory of a large tensor", async () => {
    const runtime = await served(identity("FP32"));
    const X = tensorOf(
      "FP32",
      [10_000, 2],
      Array.from({ length: 20_000 }, (_, i) => i),
    );
    for (let round = 0; round < 2; round++)
      expect((await infer(runtime, "m", { X })).outputs.get("Y")).toEqual(X);
  });
});

describe("strings that ONNX Runtime cannot represent", () => {
  const files = onnxFiles("m", identityModel("BYTES", "n"), {
    inputs: [{ name: "X", dtype: "BYTES", dims: [-1] }],
    outputs: [{ name: "Y", dtype: "BYTES", dims: [-1] }],
  });
  test("invalid UTF-8 is refused", async () => {
    const runtime = await served(files);
    const X: TensorData = {
      dtype: "BYTES",
      shape: [2],
      data: [encodeUtf8("fine"), Uint8Array.of(0x61, 0xff)],
    };
    expect(await refusal(infer(runtime, "m", { X }, { id: "7" }))).toBe(
      "request/unsupported: [request id: 7] element 1 of input 'X' for model 'm' is not valid UTF-8, as strings in ONNX Runtime for Node.js must be",
    );
  });
  test("a text ends at its first NUL, as in Triton's backend", async () => {
    const runtime = await served(files);
    const X: TensorData = {
      dtype: "BYTES",
      shape: [4],
      data: [encodeUtf8("a\0b"), encodeUtf8("\0"), Uint8Array.of(0x61, 0, 0xff), encodeUtf8("c\0\0")],
    };
    const { outputs } = await infer(runtime, "m", { X });
    expect(outputs.get("Y")).toEqual(tensorOf("BYTES", [4], ["a", "", "a", "c"]));
  });
  test("a byte order mark is preserved", async () => {
    const runtime = await served(files);
    const { outputs } = await infer(runtime, "m", { X: tensorOf("BYTES", [1], ["\uFEFFtext"]) });
    expect(outputs.get("Y")?.data).toEqual([encodeUtf8("\uFEFFtext")]);
  });
});

test("equal dim names require equal sizes", async () => {
  const files = onnxFiles("m", binaryModel("Add", "n"), {
    inputs: [fp32("A", -1), fp32("B", -1)],
    outputs: [fp32("C", -1)],
  });
  const runtime = await served(files);
  expect(shown(await infer(runtime, "m", { B: floats([2], 3, 4), A: floats([2], 1, 2) }))).toEqual({
    C: "FP32[2] 4 6",
  });
  expect(await refusal(infer(runtime, "m", { A: floats([2], 1, 2), B: floats([1], 1) }))).toBe(
    "request/invalid: [request id: <id_unknown>] dimension 0 of input 'B' is 1, but dimension 0 of input 'A' is 2: model 'm' calls both 'n'",
  );
});

test("an ONNX Runtime error keeps its message, and the model continues to work", async () => {
  const model = buildModel(
    { name: "g", inputs: [port("X", "FP32", "n")], outputs: [port("Y", "FP32", "a", "b")] },
    (b) => ({
      Y: b.node("Reshape", ["X", b.constant(tensorOf("INT64", [2], [2, -1]))])[0],
    }),
  );
  const runtime = await served(
    onnxFiles("m", model, { inputs: [fp32("X", -1)], outputs: [fp32("Y", -1, -1)] }),
  );
  expect(await refusal(infer(runtime, "m", { X: floats([3], 1, 2, 3) }))).toMatch(
    /^model\/failed: onnx runtime error: .*Reshape/,
  );
  expect(shown(await infer(runtime, "m", { X: floats([2], 1, 2) }))).toEqual({ Y: "FP32[2,1] 1 2" });
});

test("inputs and outputs are reshaped", async () => {
  const files = onnxFiles("m", identityModel("FP32", "batch"), {
    maxBatchSize: 4,
    inputs: [{ ...fp32("X", 1), extra: "reshape { }" }],
    outputs: [{ ...fp32("Y", 1), extra: "reshape { }" }],
  });
  const runtime = await served(files);
  expect(shown(await infer(runtime, "m", { X: floats([3, 1], 1, 2, 3) }))).toEqual({ Y: "FP32[3,1] 1 2 3" });
});

test("several instances answer in parallel", async () => {
  const files = onnxFiles("m", addModel(1, "n"), {
    inputs: [fp32("X", -1)],
    outputs: [fp32("Y", -1)],
    extra:
      'instance_group { count: 2 kind: KIND_CPU } parameters { key: "intra_op_thread_count" value { string_value: "1" } }',
  });
  const runtime = await served(files);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => infer(runtime, "m", { X: floats([1], i) })),
  );
  expect(answers.map((answer) => shown(answer)["Y"])).toEqual(
    Array.from({ length: 20 }, (_, i) => `FP32[1] ${i + 1}`),
  );
});

describe("models that Triton's backend would refuse are refused", () => {
  const row = { maxBatchSize: 8, inputs: [fp32("X", 2)], outputs: [fp32("Y", 2)] };
  const batched = identityModel("FP32", "batch", 2);
  test.each([
    [
      "another dtype",
      batched,
      { ...row, inputs: [{ name: "X", dtype: "INT32" as const, dims: [2] }] },
      "unable to load model 'm', configuration expects datatype TYPE_INT32 for input 'X', model provides TYPE_FP32",
    ],
    [
      "BF16",
      batched,
      { ...row, inputs: [{ name: "X", dtype: "BF16" as const, dims: [2] }] },
      "unsupported datatype TYPE_BF16 for input 'X' for model 'm'",
    ],
    [
      "a different number of inputs",
      batched,
      { ...row, inputs: [fp32("X", 2), fp32("Z", 2)] },
      "unable to load model 'm', configuration expects 2 inputs, model provides 1",
    ],
    [
      "an unknown input",
      batched,
      { ...row, inputs: [fp32("Z", 2)] },
      "unexpected inference input 'Z', allowed inputs are: X",
    ],
    [
      "an unknown output",
      batched,
      { ...row, outputs: [fp32("Z", 2)] },
      "unexpected inference output 'Z', allowed outputs are: Y",
    ],
    [
      "another size",
      batched,
      { ...row, inputs: [fp32("X", 3)] },
      "model 'm', tensor 'X': the model expects 2 dimensions (shape [-1,2]) but the model configuration specifies 2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape [-1,3])",
    ],
    [
      "another rank",
      identityModel("FP32", 2, 2),
      { inputs: [fp32("X", 2)], outputs: [fp32("Y", 2, 2)] },
      "model 'm', tensor 'X': the model expects 2 dimensions (shape [2,2]) but the model configuration specifies 1 dimensions (shape [2])",
    ],
    [
      "a fixed batch",
      identityModel("FP32", 1, 2),
      row,
      "model 'm', tensor 'X': for the model to support batching the shape should have at least 1 dimension and the first dimension must be -1; but shape expected by the model is [1,2]",
    ],
    [
      "an optional input of a batched model",
      batched,
      { ...row, inputs: [{ ...fp32("X", 2), extra: "optional: true" }] },
      "unable to load model 'm', configuration expects 0 inputs, model provides 1",
    ],
    [
      "execution_mode",
      batched,
      { ...row, extra: 'parameters { key: "execution_mode" value { string_value: "2" } }' },
      "Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got 2 .",
    ],
  ])("%s", async (_, model, config, reason) => {
    const runtime = await served({ ...onnxFiles("m", model, config), ...rowFiles("good", batched, 2) });
    expect(reasonOf(runtime, "m")).toBe(reason);
    expect(reasonOf(runtime, "good")).toBe("ready");
  });
  test("a missing file is reported", async () => {
    const { "m/1/model.onnx": _, ...files } = rowFiles("m", batched, 2);
    expect(reasonOf(await served({ ...files, "m/1/": "" }), "m")).toMatch(
      /^unable to find '.*model.onnx' for model instance 'm'$/,
    );
  });
  test("a truncated file is reported", async () => {
    const files = rowFiles("m", batched.subarray(0, batched.length / 2), 2);
    expect(reasonOf(await served(files), "m")).toMatch(
      /^onnx runtime error: Load model from .* failed: the file/,
    );
  });
  test("an operator that ONNX Runtime does not have is reported", async () => {
    const model = buildModel(
      { name: "g", inputs: [port("X", "FP32", "n")], outputs: [port("Y", "FP32", "n")] },
      (b) => ({
        Y: b.node("NoSuchOperator", ["X"])[0],
      }),
    );
    const runtime = await served(
      onnxFiles("m", model, { inputs: [fp32("X", -1)], outputs: [fp32("Y", -1)] }),
    );
    expect(reasonOf(runtime, "m")).toMatch(/^onnx runtime error: .*NoSuchOperator/);
  });
});

test("without a configuration, everything is taken from the graph", async () => {
  const runtime = await served({ "m/1/model.onnx": identityModel("FP32", "batch", "length", 2) });
  expect(runtime.modelMetadata("m")).toEqual({
    name: "m",
    versions: ["1"],
    platform: "onnxruntime_onnx",
    inputs: [{ name: "X", datatype: "FP32", shape: [-1, -1, 2] }],
    outputs: [{ name: "Y", datatype: "FP32", shape: [-1, -1, 2] }],
  });
  expect(runtime.modelConfig("m")).toMatchObject({
    max_batch_size: 4,
    dynamic_batching: { preferred_batch_size: [4] },
  });
});

describe("devices", () => {
  const files = rowFiles("m", identityModel("FP32", "batch", 2), 2);
  test("auto reports once that there is no CUDA", async () => {
    const said: string[] = [];
    const more = rowFiles("n", identityModel("FP32", "batch", 2), 2);
    const runtime = await served(
      { ...files, ...more },
      { device: "auto", notice: (text) => said.push(text) },
    );
    expect(shown(await infer(runtime, "m", { X: floats([1, 2], 1, 2) }))).toEqual({ Y: "FP32[1,2] 1 2" });
    expect(said).toEqual([expect.stringMatching(/^models run on the CPU: CUDA cannot be used \(/)]);
  });
  test("cuda fails if CUDA does not work", async () => {
    expect(await refusal(served(files, { device: "cuda" }))).toMatch(
      /^device\/unavailable: CUDA cannot be used: /,
    );
  });
});

test("every dtype except BF16 has a counterpart in ONNX Runtime", () => {
  expect(Object.keys(dtypes).filter((dtype) => !dtypesOfOrt.includes(dtype as DType))).toEqual(["BF16"]);
});

describe("many short requests at the same time", () => {
  const size = 100;

  test("each request gets its own response, and time spent waiting for the thread counts as queued", async () => {
    const runtime = await served(
      onnxFiles("m", addModel(1, "n"), { inputs: [fp32("X", -1)], outputs: [fp32("Y", -1)] }),
    );
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: size }, async (_, i) => shown(await infer(runtime, "m", { X: floats([1], i) }))),
      );
      expect(answers).toEqual(Array.from({ length: size }, (_, i) => ({ Y: `FP32[1] ${i + 1}` })));
    }
    const { execution_count: executions, inference_stats: times } = runtime.statistics(
      "m",
    )[0] as ModelStatistics;
    expect(executions).toBe(3 * size);
    expect(times.queue.count).toBe(3 * size);
    const parts = [times.queue, times.compute_input, times.compute_infer, times.compute_output];
    expect(parts.reduce((sum, { ns }) => sum + ns, 0)).toBeLessThanOrEqual(times.success.ns);
  });

  test("a failing request does not affect the others", async () => {
    const sum = buildModel(
      {
        name: "sum",
        inputs: [port("A", "FP32", "a"), port("B", "FP32", "b")],
        outputs: [port("C", "FP32", "c")],
      },
      (b) => ({ C: b.node("Add", ["A", "B"])[0] }),
    );
    const runtime = await served(
      onnxFiles("m", sum, { inputs: [fp32("A", -1), fp32("B", -1)], outputs: [fp32("C", -1)] }),
    );
    const ask = async (i: number): Promise<string> => {
      const B = i % 10 === 5 ? floats([3], 1, 2, 3) : floats([2], 1, 2);
      try {
        return shown(await infer(runtime, "m", { A: floats([2], i, i), B }))["C"] ?? "";
      } catch (error) {
        return String(error);
      }
    };
    for (let round = 0; round < 3; round++)
      for (const [i, answer] of (await Promise.all(Array.from({ length: size }, (_, i) => ask(i)))).entries())
        if (i % 10 === 5) expect(answer).toMatch(/onnx runtime error: .*Attempting to broadcast/);
        else expect(answer).toBe(`FP32[2] ${i + 1} ${i + 2}`);
  });
});
