import { tensorOf, valuesOf } from "@tritype/core";
import { describe, expect, it } from "vitest";
import type { GrpcInferResponse } from "./grpc-messages.ts";
import {
  finish,
  grpcInferMessageSteps,
  grpcMethod,
  grpcMethodNames,
  JsonDouble,
  readGrpcInferRequest,
  readGrpcInferResponse,
} from "./index.ts";
import type { InferRequest } from "./infer.ts";

const { request } = grpcMethod("ModelInfer");
const read = (message: object): InferRequest =>
  finish(
    readGrpcInferRequest(finish(grpcInferMessageSteps(request.encode({ model_name: "m", ...message })))),
  );
const input = (datatype: string, shape: number[], contents?: object): object => ({
  name: "I",
  datatype,
  shape,
  ...(contents && { contents }),
});
const four = new Uint8Array([1, 0, 0, 0]);

describe("readGrpcInferRequest", () => {
  it.each<[string, object, unknown[]]>([
    ["BOOL", { bool_contents: [true, false] }, [true, false]],
    ["INT8", { int_contents: [-1, 300] }, [-1, 44]],
    ["INT16", { int_contents: [-1, 300] }, [-1, 300]],
    ["INT32", { int_contents: [-1, 300] }, [-1, 300]],
    ["INT64", { int64_contents: ["-9223372036854775808", 5] }, [-(2n ** 63n), 5n]],
    ["UINT8", { uint_contents: [1, 300] }, [1, 44]],
    ["UINT16", { uint_contents: [1, 300] }, [1, 300]],
    ["UINT32", { uint_contents: [1, 4294967295] }, [1, 4294967295]],
    ["UINT64", { uint64_contents: ["18446744073709551615", 1] }, [2n ** 64n - 1n, 1n]],
    ["FP32", { fp32_contents: [1.5, -2] }, [1.5, -2]],
    ["FP64", { fp64_contents: [0.1, -2] }, [0.1, -2]],
    ["BYTES", { bytes_contents: [new Uint8Array([104, 105]), new Uint8Array()] }, ["hi", ""]],
  ])("reads typed %s", (dtype, contents, values) => {
    const tensor = read({ inputs: [input(dtype, [2], contents)] }).inputs.get("I");
    expect(tensor && { dtype: tensor.dtype, shape: tensor.shape, values: valuesOf(tensor) }).toEqual({
      dtype,
      shape: [2],
      values,
    });
  });

  it("reads version, id, parameters and outputs", () => {
    expect(
      read({
        model_version: "2",
        id: "7",
        parameters: {
          priority: { uint64_param: "18446744073709551615" },
          d: { double_param: 0.5 },
          s: { string_param: "" },
        },
        inputs: [input("INT32", [1])],
        outputs: [{ name: "O" }, { name: "O" }],
        raw_input_contents: [four],
      }),
    ).toEqual({
      model: "m",
      version: "2",
      id: "7",
      parameters: { priority: 18446744073709551615n, d: 0.5, s: "" },
      inputs: new Map([["I", tensorOf("INT32", [1], [1])]]),
      outputs: ["O"],
    });
  });

  it("keeps the type of numbers in requests, and reads plain numbers from responses", () => {
    const parameters = {
      whole: { double_param: 2 },
      half: { double_param: 0.5 },
      count: { int64_param: "2" },
    };
    const asked = read({ parameters }).parameters;
    expect(asked).toEqual({ whole: new JsonDouble(2), half: 0.5, count: 2 });
    expect(JSON.stringify(asked)).toBe('{"whole":2,"half":0.5,"count":2}');
    const { response } = grpcMethod("ModelInfer");
    const message = response.decode(response.encode({ model_name: "m", parameters })) as GrpcInferResponse;
    expect(readGrpcInferResponse(message).parameters).toStrictEqual({ whole: 2, half: 0.5, count: 2 });
  });

  it.each<[string, object, string]>([
    [
      "raw and typed",
      { inputs: [input("INT32", [1], { int_contents: [1] })], raw_input_contents: [four] },
      "contents field must not be specified when using raw_input_contents for 'I' for model 'm'",
    ],
    [
      "another field",
      { inputs: [input("FP32", [1], { int_contents: [1] })] },
      "unexpected explicit tensor data for input tensor 'I' for model 'm' of type 'INT32', expected datatype 'FP32'",
    ],
    [
      "no data",
      { inputs: [input("INT32", [1])] },
      "unable to find data for input tensor 'I' for model 'm' in request.",
    ],
    [
      "typed FP16",
      { inputs: [input("FP16", [1], { fp32_contents: [1] })] },
      "unexpected explicit tensor data for input tensor 'I' for model 'm' of type 'FP32', expected datatype 'FP16'",
    ],
    [
      "too little typed text",
      { inputs: [input("BYTES", [2], { bytes_contents: [four] })] },
      "[request id: <id_unknown>] expected 2 string elements for inference input 'I' for model 'm', got 1",
    ],
    ["unknown dtype", { inputs: [input("STRING", [1])] }, "invalid datatype for input I"],
    [
      "an id of 5 MB",
      { id: "x".repeat(5_000_000) },
      "the request has more than 4194304 bytes of text outside tensor data",
    ],
    [
      "names of 5 MB together",
      { inputs: [input("x".repeat(3_000_000), [1]), input("y".repeat(3_000_000), [1])] },
      "the request has more than 4194304 bytes of text outside tensor data",
    ],
    [
      "an unsigned parameter of the user",
      { parameters: { mine: { uint64_param: "1" } } },
      "invalid value type for 'mine' parameter, expected int64_param, bool_param, or string_param.",
    ],
    [
      "duplicate input",
      { inputs: [input("INT32", [1]), input("INT32", [1])], raw_input_contents: [four, four] },
      "[request id: <id_unknown>] input 'I' already exists in request",
    ],
  ])("%s", (_, message, text) => {
    expect(() => read(message)).toThrow(expect.objectContaining({ code: "request/invalid", message: text }));
  });
});

describe("grpcMethod", () => {
  it("knows every method of Triton", () => {
    expect(grpcMethodNames()).toHaveLength(20);
    expect(grpcMethod("ModelStreamInfer")).toMatchObject({
      path: "/inference.GRPCInferenceService/ModelStreamInfer",
      requestStream: true,
      responseStream: true,
    });
  });

  it("decodeJson prints a configuration as Triton does", () => {
    const { response } = grpcMethod("ModelConfig");
    const config = {
      name: "m",
      max_batch_size: 4,
      input: [{ name: "I", data_type: "TYPE_FP32", dims: [-1, 3] }],
    };
    const { config: printed } = response.decodeJson(response.encode({ config })) as {
      config: Record<string, unknown>;
    };
    expect(printed).toMatchObject({ ...config, output: [], parameters: {} });
    expect(Object.keys(printed)).not.toContain("dynamic_batching");
  });
});
