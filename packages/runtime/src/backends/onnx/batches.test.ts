import { encodeUtf8, PipelineError, tensorOf, valuesOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { fp32, onnxFiles, port } from "../../fixtures/onnx-models.ts";
import { floats, infer, refusal, served, shown } from "../../fixtures/served.ts";
import type { Files } from "../../fixtures/temporary-repository.ts";
import { createRequestMerger } from "./merge-requests.ts";

/** `Y = X`; `ROWS` is, for every row, the number of rows that ran together. */
const countingModel = buildModel(
  {
    name: "count",
    inputs: [port("X", "FP32", "batch", "n")],
    outputs: [port("Y", "FP32", "batch", "n"), port("ROWS", "INT64", "batch", 1)],
  },
  (b) => {
    const [shape] = b.node("Shape", ["X"]);
    const [rows] = b.node("Gather", [shape, b.constant(tensorOf("INT64", [1], [0n]))]);
    const [one] = [b.constant(tensorOf("INT64", [1], [1n]))];
    const [target] = b.node("Concat", [rows, one], { axis: { int: 0 } });
    return { Y: b.node("Identity", ["X"])[0], ROWS: b.node("Expand", [rows, target])[0] };
  },
);

const counting = (extra: string): Files =>
  onnxFiles("m", countingModel, {
    maxBatchSize: 8,
    inputs: [fp32("X", -1)],
    outputs: [fp32("Y", -1), { name: "ROWS", dtype: "INT64", dims: [1] }],
    extra: `dynamic_batching { ${extra} }\ninstance_group [ { count: 1 kind: KIND_CPU } ]`,
  });

test("simultaneous requests run together and get their own rows", async () => {
  const runtime = await served(counting(""));
  const answers = await Promise.all([
    infer(runtime, "m", { X: floats([1, 2], 1, 2) }),
    infer(runtime, "m", { X: floats([3, 2], 3, 4, 5, 6, 7, 8) }),
    infer(runtime, "m", { X: floats([2, 2], 9, 10, 11, 12) }),
  ]);
  expect(answers.map(shown)).toEqual([
    { Y: "FP32[1,2] 1 2", ROWS: "INT64[1,1] 6" },
    { Y: "FP32[3,2] 3 4 5 6 7 8", ROWS: "INT64[3,1] 6 6 6" },
    { Y: "FP32[2,2] 9 10 11 12", ROWS: "INT64[2,1] 6 6" },
  ]);
});

test("each request gets as many rows of an output as it has itself, in order, or the error of the C++ backend", () => {
  const merger = createRequestMerger({ name: "m", max_batch_size: 8 });
  const partsFor = (...rows: readonly number[]) => {
    const requests = rows.map((count, index) => ({
      id: String(index),
      inputs: new Map([["X", floats([count, 2], ...Array<number>(2 * count).fill(0))]]),
      outputs: [],
      parameters: {},
    }));
    const output = { name: "Y", dtype: "UINT8" as const, shape: [3, 1], data: Uint8Array.of(7, 8, 9) };
    return merger
      .split(output, requests)
      .map((part) =>
        PipelineError.is(part)
          ? `${part.code}: ${part.message}`
          : `[${part.shape.join()}] ${part.data.join()}`,
      );
  };
  const fewer = (id: number, rows: number) =>
    `request/unsupported: [request id: ${id}] failed to split the output tensor 'Y' in responses: expected batch size of at least ${rows} in model output, got 3`;
  expect(partsFor(3)).toEqual(["[3,1] 7,8,9"]);
  expect(partsFor(1)).toEqual(["[1,1] 7"]);
  expect(partsFor(4)).toEqual([fewer(0, 4)]);
  expect(partsFor(1, 2)).toEqual(["[1,1] 7", "[2,1] 8,9"]);
  expect(partsFor(2, 4, 1)).toEqual(["[2,1] 7,8", fewer(1, 6), fewer(2, 7)]);
});

test("a large tensor is copied in many turns of the event loop", () => {
  const merger = createRequestMerger({ name: "m", max_batch_size: 8 });
  const request = (rows: number) => ({
    id: "",
    inputs: new Map([["X", { dtype: "UINT8" as const, shape: [rows, 2 ** 20], data: filled(rows) }]]),
    outputs: [],
    parameters: {},
  });
  const filled = (rows: number) => new Uint8Array(rows * 2 ** 20).fill(rows);
  const steps = merger.merge([request(40), request(1), request(23)]);
  let turns = 0;
  for (let step = steps.next(); ; step = steps.next(), turns++) {
    if (step.done !== true) continue;
    const [{ shape, data } = { shape: [], data: [] }] = step.value;
    expect(shape).toEqual([64, 2 ** 20]);
    expect(Buffer.compare(Buffer.from(data as Uint8Array), Buffer.concat([40, 1, 23].map(filled)))).toBe(0);
    break;
  }
  expect(turns).toBe(64);
});

test("batches never have more rows than max_batch_size, or rows of different sizes", async () => {
  const runtime = await served(counting(""));
  const lengths = [2, 2, 2, 3, 3, 2];
  const answers = await Promise.all(
    lengths.map((n) => infer(runtime, "m", { X: floats([3, n], ...Array.from({ length: 3 * n }, () => n)) })),
  );
  const rows = answers.map(({ outputs }) => {
    const tensor = outputs.get("ROWS");
    return tensor === undefined ? [] : valuesOf(tensor).map(Number);
  });
  expect(rows.map(([count]) => count)).toEqual([6, 6, 3, 6, 6, 3]);
});

test("each request gets the outputs that it requested", async () => {
  const runtime = await served(counting(""));
  const answers = await Promise.all([
    infer(runtime, "m", { X: floats([1, 1], 1) }, { outputs: ["Y"] }),
    infer(runtime, "m", { X: floats([1, 1], 2) }, { outputs: ["ROWS"] }),
  ]);
  expect(answers.map(shown)).toEqual([{ Y: "FP32[1,1] 1" }, { ROWS: "INT64[1,1] 2" }]);
});

test("a delay merges requests that do not arrive at the same time", async () => {
  const runtime = await served(
    counting("max_queue_delay_microseconds: 20000000 preferred_batch_size: [ 2 ]"),
  );
  const first = infer(runtime, "m", { X: floats([1, 1], 1) });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const second = infer(runtime, "m", { X: floats([1, 1], 2) });
  expect((await Promise.all([first, second])).map(shown)).toEqual([
    { Y: "FP32[1,1] 1", ROWS: "INT64[1,1] 2" },
    { Y: "FP32[1,1] 2", ROWS: "INT64[1,1] 2" },
  ]);
});

test("strings are merged too, and one that ONNX Runtime cannot store fails only its own request", async () => {
  const identity = buildModel(
    {
      name: "identity",
      inputs: [port("X", "BYTES", "batch", 1)],
      outputs: [port("Y", "BYTES", "batch", 1)],
    },
    (b) => ({ Y: b.node("Identity", ["X"])[0] }),
  );
  const runtime = await served(
    onnxFiles("m", identity, {
      maxBatchSize: 8,
      inputs: [{ name: "X", dtype: "BYTES", dims: [1] }],
      outputs: [{ name: "Y", dtype: "BYTES", dims: [1] }],
      extra: "dynamic_batching { }\ninstance_group [ { count: 1 kind: KIND_CPU } ]",
    }),
  );
  const ask = (text: string | Uint8Array) =>
    infer(runtime, "m", {
      X: { dtype: "BYTES", shape: [1, 1], data: [typeof text === "string" ? encodeUtf8(text) : text] },
    });
  const [a, b, c] = await Promise.all([ask("one"), refusal(ask(Uint8Array.of(0xff))), ask("three")]);
  expect(shown(a)).toEqual({ Y: "BYTES[1,1] one" });
  expect(b).toMatch(/^request\/unsupported: .*is not valid UTF-8/);
  expect(shown(c)).toEqual({ Y: "BYTES[1,1] three" });
});

test("ragged inputs become one vector, together with the model's batch inputs", async () => {
  const model = buildModel(
    {
      name: "ragged",
      inputs: [port("X", "FP32", "n"), port("ENDS", "FP32", "requests")],
      outputs: [port("Y", "FP32", "requests", 1)],
    },
    (b) => {
      const axis = b.constant(tensorOf("INT64", [1], [1n]));
      return { Y: b.node("Unsqueeze", ["ENDS", axis])[0] };
    },
  );
  const runtime = await served(
    onnxFiles("m", model, {
      maxBatchSize: 8,
      inputs: [{ name: "X", dtype: "FP32", dims: [-1], extra: "allow_ragged_batch: true" }],
      outputs: [fp32("Y", 1)],
      extra: `dynamic_batching { }
instance_group [ { count: 1 kind: KIND_CPU } ]
batch_input [ { kind: BATCH_ACCUMULATED_ELEMENT_COUNT target_name: "ENDS" data_type: TYPE_FP32 source_input: "X" } ]`,
    }),
  );
  const answers = await Promise.all(
    [2, 3, 1].map((n) => infer(runtime, "m", { X: floats([1, n], ...Array.from({ length: n }, () => 0)) })),
  );
  expect(answers.map(shown)).toEqual([{ Y: "FP32[1,1] 2" }, { Y: "FP32[1,1] 5" }, { Y: "FP32[1,1] 6" }]);
});

test("a batch_output takes the variable dims of its source input in every response", async () => {
  const model = buildModel(
    { name: "ragged", inputs: [port("X", "FP32", "n")], outputs: [port("Y", "FP32", "n")] },
    (b) => ({ Y: b.node("Neg", ["X"])[0] }),
  );
  const files = onnxFiles("m", model, {
    maxBatchSize: 8,
    inputs: [{ name: "X", dtype: "FP32", dims: [-1, -1], extra: "allow_ragged_batch: true" }],
    outputs: [fp32("Y", -1, 2)],
    extra: `dynamic_batching { }
instance_group [ { count: 1 kind: KIND_CPU } ]
batch_output [ { kind: BATCH_SCATTER_WITH_INPUT_SHAPE target_name: "Y" source_input: "X" } ]`,
  });
  const runtime = await served(files);
  const ask = async (rows: number) =>
    shown(
      await infer(runtime, "m", {
        X: floats([1, rows, 2], ...Array.from({ length: rows * 2 }, (_, i) => i + 1)),
      }),
    );
  expect(await ask(1)).toEqual({ Y: "FP32[1,1,2] -1 -2" });
  expect(await Promise.all([ask(1), ask(2)])).toEqual([
    { Y: "FP32[1,1,2] -1 -2" },
    { Y: "FP32[1,2,2] -1 -2 -3 -4" },
  ]);
  // A fixed dim of the configuration is kept, regardless of the input's dim.
  expect(shown(await infer(runtime, "m", { X: floats([1, 1, 4], 1, 2, 3, 4) }))).toEqual({
    Y: "FP32[1,1,2] -1 -2",
  });
});
