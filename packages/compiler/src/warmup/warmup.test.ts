import { printRawData, tensorOf } from "@tritype/core";
import { defineEnsemble, fp32, int64, onnx } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { type ModelConfig, parseModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";
import type { Compilation } from "../compile.ts";
import { capturedEntries, type CapturedRequest, type CapturedWarmup } from "./captured-warmup.ts";

const type = int64("batch", "n");
const row = fp32("batch");
const model = buildModel(
  {
    name: "m",
    inputs: [
      { name: "ids", type },
      { name: "scale", type: row },
    ],
    outputs: [{ name: "out", type }],
  },
  (builder) => {
    const [whole] = builder.node("Cast", ["scale"], { to: { int: 7 } });
    const axis = builder.constant(tensorOf("INT64", [1], [1n]));
    const [column] = builder.node("Unsqueeze", [whole, axis]);
    return { out: builder.node("Mul", ["ids", column])[0] };
  },
);

const sample = { name: "short", inputs: { ids: [[1, 2, 3]], scale: [2] } };
/** Compiles an ensemble `e` with one step `m`, given the fields of the step, the samples and the captured requests. */
const compiled = (
  fields: object,
  warmup: readonly object[] = [sample],
  captured?: CapturedWarmup,
): Compilation => {
  const step = onnx({
    name: "m",
    file: "m.onnx",
    inputs: { ids: int64("batch", "n"), scale: fp32("batch") },
    outputs: { out: int64("batch", "n") },
    ...fields,
  });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 8,
    inputs: { ids: int64("batch", "n"), scale: fp32("batch") },
    run: (inputs) => step(inputs),
    warmup: warmup as never,
  });
  return compileInMemory(
    [ensemble],
    { "m.onnx": model, "data/ids.bin": new Uint8Array(24) },
    { warmup: captured },
  );
};
const configOf = (compilation: Compilation): ModelConfig => {
  const parsed = parseModelConfig(emittedText(compilation, "model_repository/m/config.pbtxt"));
  if ("problem" in parsed) throw new Error(parsed.problem.message);
  return parsed.config;
};
const warmupFiles = ({ build }: Compilation): readonly string[] =>
  [...(build?.tree.keys() ?? [])].filter((path) => path.includes("/warmup/"));

const request = (ids: readonly number[], of = "short"): CapturedRequest => ({
  model: "m",
  ensemble: "e",
  sample: of,
  inputs: {
    ids: { dtype: "INT64", dims: [ids.length], bytes: printRawData(tensorOf("INT64", [ids.length], ids)) },
    scale: { dtype: "FP32", dims: [1], bytes: printRawData(tensorOf("FP32", [1], [2])) },
  },
});
const key = "0".repeat(64);

test("samples become tensors with their batch size and the length of the longest row", () => {
  const { build } = compiled({}, [{ inputs: { ids: [[1], [2]], scale: [1, 1] }, count: 3 }]);
  expect(build?.samples).toMatchObject([{ ensemble: "e", name: "sample_1", row: 0, batchSize: 2, count: 3 }]);
  expect(build?.samples[0]?.inputs.get("scale")?.shape).toEqual([2, 1]);
  expect(build?.manifest.warmup).toBeUndefined();
  expect(warmupFiles(compiled({}))).toEqual([]);
});

test("captured requests become model_warmup, one-row files and a record in the manifest", () => {
  const compilation = compiled({}, [sample], {
    key,
    requests: [request([1, 2, 3]), request([4]), request([4])],
  });
  expect(compilation.diagnostics).toEqual([]);
  expect(configOf(compilation).model_warmup).toEqual([
    {
      name: "short",
      batch_size: 1,
      inputs: {
        ids: { data_type: "TYPE_INT64", dims: [3], input_data_file: "short_ids" },
        scale: { data_type: "TYPE_FP32", dims: [1], input_data_file: "short_scale" },
      },
    },
    {
      name: "short_2",
      batch_size: 1,
      inputs: {
        ids: { data_type: "TYPE_INT64", dims: [1], input_data_file: "short_2_ids" },
        scale: { data_type: "TYPE_FP32", dims: [1], input_data_file: "short_2_scale" },
      },
    },
  ]);
  expect(warmupFiles(compilation)).toEqual([
    "model_repository/m/warmup/short_2_ids",
    "model_repository/m/warmup/short_2_scale",
    "model_repository/m/warmup/short_ids",
    "model_repository/m/warmup/short_scale",
  ]);
  expect(compilation.build?.manifest.warmup).toMatchObject({
    key,
    requests: [{ model: "m", sample: "short" }, { inputs: { ids: { file: "warmup/short_2_ids" } } }],
  });
});

test("a request with one more input is not the same as one without it", () => {
  const {
    inputs: { scale: _, ...inputs },
    ...rest
  } = request([1, 2, 3]);
  const [sampleOf] = compiled({}, [sample]).build?.samples ?? [];
  const requests = [{ ...rest, inputs }, request([1, 2, 3])];
  const entries = capturedEntries("m", requests, sampleOf === undefined ? [] : [sampleOf]);
  expect(entries.map(({ name, inputs: found }) => [name, [...found.keys()]])).toEqual([
    ["short", ["ids"]],
    ["short_2", ["ids", "scale"]],
  ]);
});

test("a tensor without elements uses zeros, without a file", () => {
  const compilation = compiled({}, [sample], { key, requests: [request([])] });
  expect(configOf(compilation).model_warmup?.[0]?.inputs?.["ids"]).toEqual({
    data_type: "TYPE_INT64",
    dims: [0],
    zero_data: true,
  });
  expect(compilation.build?.manifest.warmup?.requests[0]?.inputs["ids"]).toEqual({
    dtype: "INT64",
    dims: [0],
  });
});

test("a step's own samples may be values, zeros, random bytes or files, and replace captured ones of the same name", () => {
  const compilation = compiled(
    {
      modelWarmup: [
        {
          inputs: {
            ids: [
              [1, 2],
              [3, 4],
            ],
            scale: "zero",
          },
          batchSize: 2,
          count: 4,
        },
        {
          name: "short",
          batchSize: 8,
          inputs: {
            ids: { dims: [3], inputDataFile: "data/ids.bin" },
            scale: { dataType: "FP32", dims: [1], randomData: true },
          },
        },
      ],
    },
    [sample],
    { key, requests: [request([1, 2, 3])] },
  );
  expect(compilation.diagnostics).toEqual([]);
  expect(configOf(compilation).model_warmup).toEqual([
    {
      name: "sample_1",
      batch_size: 2,
      count: 4,
      inputs: {
        ids: { data_type: "TYPE_INT64", dims: [2], input_data_file: "sample_1_ids" },
        scale: { data_type: "TYPE_FP32", dims: [1], zero_data: true },
      },
    },
    {
      name: "short",
      batch_size: 8,
      inputs: {
        ids: { data_type: "TYPE_INT64", dims: [3], input_data_file: "short_ids" },
        scale: { data_type: "TYPE_FP32", dims: [1], random_data: true },
      },
    },
  ]);
  expect(compilation.build?.tree.get("model_repository/m/warmup/sample_1_ids")).toEqual({
    kind: "bytes",
    bytes: new Uint8Array(new BigInt64Array([1n, 2n]).buffer),
  });
  expect(compilation.build?.manifest.warmup?.requests).toEqual([]);
});

test("a raw fragment replaces the warmup", () => {
  const raw = 'model_warmup { name: "mine" }';
  const compilation = compiled({ raw, modelWarmup: [sample] }, [sample], { key, requests: [request([1])] });
  expect(configOf(compilation).model_warmup).toEqual([{ name: "mine" }]);
  expect(warmupFiles(compilation)).toEqual([]);
});

const tensorrt = (parameters: object = {}) => ({
  optimization: { executionAccelerators: { gpuExecutionAccelerator: [{ name: "tensorrt", parameters }] } },
});
const profileOf = (compilation: Compilation) =>
  configOf(compilation).optimization?.execution_accelerators?.gpu_execution_accelerator?.[0]?.parameters;
const three = [
  { name: "a", inputs: { ids: [[1, 2]], scale: [1] } },
  { name: "b", inputs: { ids: [[1]], scale: [1] }, batchSize: 4, profile: "opt" },
  { name: "c", inputs: { ids: [[1, 2, 3, 4]], scale: [1] }, batchSize: 2 },
];
const threeCaptured = {
  key,
  requests: [request([1, 2], "a"), request([1], "b"), request([1, 2, 3, 4], "c")],
};

test("TensorRT's profile has the smallest, marked and largest sizes and the largest batch, reshaped to the model's dims", () => {
  expect(profileOf(compiled(tensorrt({ precision_mode: "FP16" }), three, threeCaptured))).toEqual({
    precision_mode: "FP16",
    trt_profile_min_shapes: "ids:1x1,scale:1",
    trt_profile_opt_shapes: "ids:4x1,scale:4",
    trt_profile_max_shapes: "ids:8x4,scale:8",
  });
});

test("a profile set by the author is kept, and without samples no profile is added", () => {
  const own = {
    trt_profile_max_shapes: "ids:8x9,scale:8",
    trt_profile_min_shapes: "ids:1x2,scale:1",
    trt_profile_opt_shapes: "ids:4x4,scale:4",
  };
  expect(profileOf(compiled(tensorrt(own), three, threeCaptured))).toEqual(own);
  expect(profileOf(compiled(tensorrt(), []))).toBeUndefined();
  const cuda = { optimization: { executionAccelerators: { gpuExecutionAccelerator: [{ name: "cuda" }] } } };
  expect(profileOf(compiled(cuda, three, threeCaptured))).toBeUndefined();
});
