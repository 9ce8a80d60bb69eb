import { type DType, dtypes, elementCount, type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { errorOf, loadPythonModel, outputsOf, requestOf } from "../../../../test/environment/python-model.ts";

const echo = `
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([
            tensor if tensor.name().startswith("BF16") else pb_utils.Tensor(tensor.name(), tensor.as_numpy())
            for tensor in request.inputs()]) for request in requests]
`;

const samples = (dtype: DType): TensorData => {
  if (dtype === "BYTES")
    return tensorOf(
      dtype,
      [2, 3],
      ["", "a\0b", "héllo 👍", Uint8Array.of(0xff, 0xfe), "x".repeat(70_000), "end"],
    );
  const values = dtype === "BOOL" ? [true, false, true] : [0, 1, 100];
  return tensorOf(dtype, [1, 3], values);
};

describe("echo", () => {
  test("every dtype, empty tensors and scalars are returned bit for bit", async () => {
    const { model } = await loadPythonModel(echo);
    const names = Object.keys(dtypes) as DType[];
    const inputs = Object.fromEntries(
      names.flatMap((dtype): [string, TensorData][] => [
        [dtype, samples(dtype)],
        [`${dtype}_EMPTY`, tensorOf(dtype, [0, 4], [])],
        [`${dtype}_SCALAR`, tensorOf(dtype, [], [1])],
      ]),
    );
    const [result] = await model.execute([requestOf(inputs)]);
    const outputs = outputsOf(result);
    expect(outputs.size).toBe(3 * names.length);
    for (const [name, tensor] of Object.entries(inputs)) {
      const output = outputs.get(name);
      expect(output?.dtype, name).toBe(tensor.dtype);
      expect(output?.shape, name).toEqual(tensor.shape);
      expect([...(output?.data ?? [])].map(plain), name).toEqual([...tensor.data].map(plain));
    }
  });

  test.each(["unix", "tcp"] as const)("ten megabytes are returned unchanged over %s", async (transport) => {
    const { model } = await loadPythonModel(echo, {}, { transport });
    const data = new Uint8Array(10_000_000).map((_, index) => (index * 31) % 251);
    const [result] = await model.execute([requestOf({ X: { dtype: "UINT8", shape: [data.length], data } })]);
    expect(Buffer.compare(outputsOf(result).get("X")?.data as Uint8Array, data)).toBe(0);
  });

  test("requests of one execution are kept apart, including empty ones", async () => {
    const { model } = await loadPythonModel(echo);
    const inputs = Array.from({ length: 16 }, (_, n) => tensorOf("INT32", [n], Array(n).fill(n)));
    const results = await model.execute(inputs.map((X) => requestOf({ X })));
    expect(results.map((result) => valuesOf(outputsOf(result).get("X") as TensorData))).toEqual(
      inputs.map(valuesOf),
    );
  });
});

const plain = (element: number | Uint8Array): number | string =>
  typeof element === "number" ? element : Buffer.from(element).toString("hex");

describe("requests", () => {
  test("requests carry id, parameters, sequence, timeout and requested outputs", async () => {
    const { model } = await loadPythonModel(`
import json, numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    async def execute(self, requests):
        return [self.answer(request) for request in requests]
    def answer(self, r):
        seen = json.dumps([r.request_id(), r.correlation_id(), r.flags(), r.timeout(), json.loads(r.parameters()),
                           sorted(r.requested_output_names()), r.is_cancelled()])
        tensor = np.array([seen.encode()], dtype=object)
        return pb_utils.InferenceResponse([pb_utils.Tensor(name, tensor) for name in ("A", "B", "C")])
`);
    const [result] = await model.execute([
      requestOf(
        {},
        {
          id: "r1",
          outputs: ["C", "A"],
          parameters: {
            sequence_id: 7,
            sequence_start: true,
            timeout: 50,
            priority: 1,
            text: 'a"b',
            big: 2n ** 60n,
            yes: true,
          },
        },
      ),
    ]);
    const outputs = outputsOf(result);
    expect([...outputs.keys()]).toEqual(["A", "C"]);
    expect(valuesOf(outputs.get("A") as TensorData)).toEqual([
      '["r1", 7, 1, 50, {"text": "a\\"b", "big": 1152921504606846976, "yes": true}, ["A", "C"], false]',
    ]);
  });

  test("twenty simultaneous requests to two instances each get their own response", async () => {
    const { model } = await loadPythonModel(
      `
import os, time
import numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        time.sleep(0.02)
        return [pb_utils.InferenceResponse([
            pb_utils.Tensor("Y", r.inputs()[0].as_numpy() * 2), pb_utils.Tensor("PID", np.array([os.getpid()]))])
            for r in requests]
`,
      { instance_group: [{ kind: "KIND_CPU", count: 2 }] },
    );
    expect(model.instances).toBe(2);
    const executions = Array.from({ length: 20 }, (_, n) =>
      model.execute([requestOf({ X: tensorOf("INT64", [1], [n]) })]),
    );
    const outputs = (await Promise.all(executions)).map(([result]) => outputsOf(result));
    expect(outputs.map((output) => valuesOf(output.get("Y") as TensorData))).toEqual(
      outputs.map((_, n) => [BigInt(2 * n)]),
    );
    expect(new Set(outputs.map((output) => valuesOf(output.get("PID") as TensorData)[0])).size).toBe(2);
  });
});

test("errors of single requests do not affect the others and keep their codes", async () => {
  const { model } = await loadPythonModel(`
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(get(request)) for request in requests]
    def answer(self, name):
        if name == "fine":
            return pb_utils.InferenceResponse([])
        if name == "default":
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("no code"))
        return pb_utils.InferenceResponse(error=pb_utils.TritonError("sent " + name, getattr(pb_utils.TritonError, name)))
def get(request):
    return pb_utils.get_input_tensor_by_name(request, "X").as_numpy()[0].decode()
`);
  const names = ["fine", "default", "UNKNOWN", "INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE"];
  names.push("UNSUPPORTED", "ALREADY_EXISTS", "CANCELLED");
  const results = await model.execute(names.map((name) => requestOf({ X: tensorOf("BYTES", [1], [name]) })));
  expect([...outputsOf(results[0]).keys()]).toEqual([]);
  expect(results.slice(1).map(errorOf)).toEqual([
    "model/failed: no code",
    "model/unknown-error: sent UNKNOWN",
    "model/failed: sent INTERNAL",
    "model/not-found: sent NOT_FOUND",
    "request/invalid: sent INVALID_ARG",
    "model/unavailable: sent UNAVAILABLE",
    "request/unsupported: sent UNSUPPORTED",
    "model/already-exists: sent ALREADY_EXISTS",
    "request/cancelled: sent CANCELLED",
  ]);
});

test("initialize gets Triton's arguments", async () => {
  const { model, folder } = await loadPythonModel(
    `
import json, numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def initialize(self, args):
        config = json.loads(args.pop("model_config"))
        found = pb_utils.get_output_config_by_name(config, "Y")
        self.text = json.dumps([args, found["data_type"], pb_utils.get_input_config_by_name(config, "none"),
            config["max_batch_size"], pb_utils.using_decoupled_model_transaction_policy(config), pb_utils.get_model_dir(), __name__])
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([self.text]).astype(object))]) for _ in requests]
`,
    {
      output: [{ name: "Y", data_type: "TYPE_STRING", dims: [1] }],
      instance_group: [{ name: "g", count: 1 }],
    },
  );
  const [result] = await model.execute([requestOf({})]);
  const [text] = valuesOf(outputsOf(result).get("Y") as TensorData);
  expect(JSON.parse(String(text))).toEqual([
    {
      model_instance_kind: "CPU",
      model_instance_name: "g_0",
      model_instance_device_id: "0",
      model_repository: folder,
      model_version: "1",
      model_name: "m",
    },
    "TYPE_STRING",
    null,
    0,
    false,
    `${folder}/1`,
    "1.model",
  ]);
});

test("as in Triton, the size implied by shape and dtype is not checked against the configuration", async () => {
  const { model } = await loadPythonModel(echo, {
    output: [{ name: "X", data_type: "TYPE_FP32", dims: [1] }],
  });
  const [result] = await model.execute([
    requestOf({ Q: tensorOf("INT8", [elementCount([2, 2])], [1, 2, 3, 4]) }),
  ]);
  expect(outputsOf(result).get("Q")?.dtype).toBe("INT8");
});
