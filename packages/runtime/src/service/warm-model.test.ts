import { type TensorData, valuesOf } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import type { LoadedModel, ModelRequest } from "../backend.ts";
import { configText, ensembleFiles, fp32, identityModel, onnxFiles } from "../fixtures/onnx-models.ts";
import { reasonOf, served } from "../fixtures/served.ts";
import { type Files, temporaryRepository } from "../fixtures/temporary-repository.ts";
import { warmModel } from "./warm-model.ts";

/** A model in memory that records the requests of each execution. */
const listening = () => {
  const executions: (readonly ModelRequest[])[] = [];
  let closed = false;
  const loaded: LoadedModel = {
    execute: (requests) => {
      executions.push(requests);
      return Promise.resolve(requests.map(() => ({ outputs: new Map() })));
    },
    close: () => {
      closed = true;
      return Promise.resolve();
    },
  };
  return { loaded, executions, isClosed: () => closed };
};

const base: ModelConfig = {
  name: "m",
  max_batch_size: 4,
  input: [
    { name: "x", data_type: "TYPE_FP32", dims: [2] },
    { name: "s", data_type: "TYPE_STRING", dims: [-1], optional: true },
  ],
};
const warm = async (config: ModelConfig, loaded: LoadedModel, files: Files = {}): Promise<void> => {
  const folder = `${await temporaryRepository({ "m/1/": "", ...files })}/m`;
  await warmModel({ name: "m", version: "1", folder, versionFolder: `${folder}/1`, config }, loaded);
};
const x = { data_type: "TYPE_FP32", dims: [2], zero_data: true } as const;
const shown = ({ dtype, shape, ...rest }: TensorData): string =>
  `${dtype}[${shape.join()}] ${valuesOf({ dtype, shape, ...rest } as TensorData).join(" ")}`;

test("batch_size is the number of parallel one-row requests, count is the number of runs, on each instance", async () => {
  const { loaded, executions } = listening();
  const model_warmup = [{ name: "w", batch_size: 3, count: 2, inputs: { x } }];
  await warm({ ...base, instance_group: [{ count: 2 }, { passive: true }], model_warmup }, loaded);
  expect(executions.map((requests) => requests.length)).toEqual([3, 3, 3, 3]);
  expect(
    executions.flat().map(({ inputs }) => [...inputs].map(([name, t]) => `${name} ${shown(t)}`)),
  ).toEqual(Array.from({ length: 12 }, () => ["x FP32[1,2] 0 0"]));
});

test("files contain one row, longer ones are truncated, and strings are preceded by their length", async () => {
  const { loaded, executions } = listening();
  await warm(
    {
      ...base,
      model_warmup: [
        {
          name: "w",
          batch_size: 1,
          inputs: {
            s: { data_type: "TYPE_STRING", dims: [2], input_data_file: "texts" },
            x: { data_type: "TYPE_FP32", dims: [2], input_data_file: "floats" },
          },
        },
      ],
    },
    loaded,
    {
      "m/warmup/floats": new Uint8Array(new Float32Array([1, 2, 3]).buffer),
      "m/warmup/texts": new Uint8Array([2, 0, 0, 0, 195, 169, 0, 0, 0, 0]),
    },
  );
  const [request] = executions[0] ?? [];
  expect([...(request?.inputs ?? [])].map(([name, tensor]) => [name, shown(tensor)])).toEqual([
    ["x", "FP32[1,2] 1 2"],
    ["s", "BYTES[1,2] é "],
  ]);
});

test("for strings, zeros and random bytes both give empty strings", async () => {
  const { loaded, executions } = listening();
  const s = { data_type: "TYPE_STRING", dims: [2], random_data: true } as const;
  await warm({ ...base, model_warmup: [{ name: "w", batch_size: 1, inputs: { x, s } }] }, loaded);
  const tensor = executions[0]?.[0]?.inputs.get("s");
  expect(tensor?.shape).toEqual([1, 2]);
  expect(tensor && valuesOf(tensor)).toEqual(["", ""]);
});

test("samples without a batch_size, and samples for passive instances, never run", async () => {
  const { loaded, executions } = listening();
  const sample = { name: "w", inputs: { x } };
  await warm({ ...base, model_warmup: [sample] }, loaded);
  await warm(
    { ...base, instance_group: [{ passive: true }], model_warmup: [{ ...sample, batch_size: 1 }] },
    loaded,
  );
  expect(executions).toEqual([]);
});

test.each([
  [5, 4, "batch size 5 for 'm_0', max allowed is 4;"],
  [2, 0, "batch size 2 for 'm_0', max allowed is 0;"],
  [2 ** 31 - 1, 4, "batch size 2147483647 for 'm_0', max allowed is 4;"],
])("a batch_size of %i with a largest batch of %i closes the model", async (size, most, words) => {
  const { loaded, executions, isClosed } = listening();
  const config = {
    ...base,
    max_batch_size: most,
    model_warmup: [{ name: "w", batch_size: size, inputs: { x } }],
  };
  await expect(warm(config, loaded)).rejects.toThrow(`failed to run warmup sample 'w': ${words}`);
  expect([executions.length, isClosed()]).toEqual([0, true]);
});

const sampleText = (input: string): string =>
  `model_warmup { name: "w" batch_size: 2 inputs { key: "X" value { data_type: TYPE_FP32 ${input} } } }`;
const python = `
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        if pb_utils.get_input_tensor_by_name(requests[0], "X").as_numpy().any():
            return [pb_utils.InferenceResponse([]) for request in requests]
        return [pb_utils.InferenceResponse(error=pb_utils.TritonError("only zeros")) for request in requests]
`;
const pythonFiles = (name: string, input: string): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python"\n${configText(name, { maxBatchSize: 4, inputs: [fp32("X", 2)], outputs: [fp32("Y", 2)], extra: `instance_group { kind: KIND_CPU count: 2 } ${sampleText(input)}` })}`,
  [`${name}/1/model.py`]: python,
  [`${name}/warmup/ones`]: new Uint8Array(new Float32Array([1, 1]).buffer),
});

test("a model is ready only after its samples have run; its ensemble depends on it", async () => {
  const tensors = { inputs: [fp32("X", 2)], outputs: [fp32("Y", 2)] };
  const onnx = (name: string, dims: string): Files =>
    onnxFiles(name, identityModel("FP32", "batch", 2), {
      ...tensors,
      maxBatchSize: 4,
      extra: sampleText(`dims: [ ${dims} ] random_data: true`),
    });
  const runtime = await served(
    {
      ...onnx("right", "2"),
      ...onnx("wrong", "3"),
      ...ensembleFiles("all", { ...tensors, maxBatchSize: 4 }, "wrong: X=X Y=Y"),
      ...pythonFiles("python", 'dims: [ 2 ] input_data_file: "ones"'),
      ...pythonFiles("python_zeros", "dims: [ 2 ] zero_data: true"),
    },
    { pythonCommand: await pythonWithNumpy() },
  );
  expect([reasonOf(runtime, "right"), reasonOf(runtime, "python")]).toEqual(["ready", "ready"]);
  expect(reasonOf(runtime, "wrong")).toMatch(
    /^\[request id: <id_unknown>\] unexpected shape for input 'X' for model 'wrong'. Expected \[-1,2\], got \[1,3\]\./,
  );
  expect(reasonOf(runtime, "python_zeros")).toBe("failed to run warmup sample 'w': only zeros;");
  expect(reasonOf(runtime, "all")).toContain("unexpected shape for input 'X' for model 'wrong'");
});
