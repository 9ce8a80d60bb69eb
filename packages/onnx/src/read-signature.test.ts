import { encodeUtf8 } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { encodeModel } from "./codec.ts";
import { attributeTypes, type DimensionProto, type GraphProto, type ValueInfoProto } from "./model-proto.ts";
import { readOnnxSignature } from "./read-signature.ts";

const fp32 = 1;
const value = (name: string, dim: DimensionProto[] | undefined, elemType = fp32): ValueInfoProto => ({
  name,
  type: { tensorType: dim === undefined ? { elemType } : { elemType, shape: { dim } } },
});
const bytesOf = (graph: GraphProto, rest = {}): Uint8Array =>
  encodeModel({
    irVersion: 8,
    graph: { name: "g", ...graph },
    opsetImport: [{ domain: "", version: 17 }],
    ...rest,
  });
const read = (bytes: Uint8Array) => {
  const signature = readOnnxSignature(bytes);
  if (signature.problem !== undefined) return expect.fail(signature.problem);
  return signature;
};

describe("dims", () => {
  const dimsOf = (dim: DimensionProto[] | undefined) =>
    read(bytesOf({ input: [value("x", dim)] })).inputs[0]?.dims;
  test.each([
    ["literal", [{ dimValue: 3 }], [3]],
    ["zero is a literal", [{ dimValue: 0 }], [0]],
    ["name", [{ dimParam: "batch" }], ["batch"]],
    ["anonymous", [{}], [-1]],
    ["negative value", [{ dimValue: -1 }], [-1]],
    ["empty name", [{ dimParam: "" }], [-1]],
    ["PaddlePaddle's unknown sizes", [{ dimParam: "?" }, { dimParam: "?" }], [-1, -1]],
    ["scalar", [], []],
    ["unknown rank", undefined, undefined],
  ])("%s", (_, dim, expected) => {
    expect(dimsOf(dim)).toEqual(expected);
  });
});

describe("a value that is not one of the protocol's tensors has no dtype", () => {
  test("complex numbers", () => {
    const { inputs } = read(bytesOf({ input: [value("x", [], 14)] }));
    expect(inputs).toEqual([{ name: "x", kind: "tensor", dtype: undefined, onnxType: 14, dims: [] }]);
  });
  test.each([
    ["sequenceType", "sequence"],
    ["mapType", "map"],
    ["optionalType", "optional"],
    ["sparseTensorType", "sparse-tensor"],
  ])("%s", (field, kind) => {
    const { outputs } = read(bytesOf({ output: [{ name: "y", type: { [field]: {} } }] }));
    expect(outputs).toEqual([{ name: "y", kind, dtype: undefined, onnxType: 0, dims: undefined }]);
  });
});

test("initializers are not inputs, but may be overridden if they are also listed as inputs", () => {
  const initializer = [
    { name: "w", dataType: fp32, dims: [1] },
    { name: "hidden", dataType: fp32, dims: [1] },
  ];
  const signature = read(bytesOf({ initializer, input: [value("x", []), value("w", [])] }));
  expect(signature.inputs.map((one) => one.name)).toEqual(["x"]);
  expect(signature.overridable).toEqual(["w"]);
  expect(signature.overridablePorts).toMatchObject([{ name: "w", dtype: "FP32", onnxType: fp32 }]);
});

test("versions and producer are read", () => {
  const opsetImport = [
    { domain: "ai.onnx", version: 21 },
    { domain: "ai.onnx.ml", version: 3 },
  ];
  const signature = read(
    bytesOf({}, { irVersion: 10, opsetImport, producerName: "pytorch", producerVersion: "2.4" }),
  );
  expect(signature).toMatchObject({
    opset: 21,
    opsets: { "": 21, "ai.onnx.ml": 3 },
    irVersion: 10,
    producer: "pytorch 2.4",
  });
});

test("external files of initializers, constants and nested graphs are listed", () => {
  const external = (location: string) => ({
    name: location,
    dataLocation: 1,
    externalData: [
      { key: "location", value: location },
      { key: "offset", value: "0" },
    ],
  });
  const inner = { initializer: [external("c.bin"), external("a.bin")] };
  const signature = read(
    bytesOf({
      initializer: [external("a.bin"), { name: "here", dataLocation: 0 }],
      node: [
        {
          opType: "Constant",
          attribute: [{ name: "value", type: attributeTypes.tensor, t: external("b.bin") }],
        },
        { opType: "If", attribute: [{ name: "then_branch", type: attributeTypes.graph, g: inner }] },
      ],
    }),
  );
  expect(signature.externalFiles).toEqual(["a.bin", "b.bin", "c.bin"]);
});

describe("broken files", () => {
  const whole = bytesOf({ input: [value("x", [])], docString: "a sentence that fills the graph" });
  test.each([
    ["empty", new Uint8Array(), "the file is empty"],
    [
      "truncated in a field",
      whole.subarray(0, whole.length - 8),
      "the file is truncated: it ends in the middle of a field",
    ],
    [
      "only a version",
      whole.subarray(0, 2),
      "the file contains no graph: it is truncated, or it is not an ONNX model",
    ],
    [
      "no operator set",
      whole.subarray(0, whole.length - 6),
      "the file imports no operator set: it is truncated, or it is not an ONNX model",
    ],
    [
      "web page",
      encodeUtf8("<!DOCTYPE html><html></html>"),
      "the file is not an ONNX model: its bytes are not a protobuf ModelProto",
    ],
    ["zeros", new Uint8Array(64), "the file is not an ONNX model: its bytes are not a protobuf ModelProto"],
    [
      "git lfs",
      encodeUtf8("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"),
      "the file is a Git LFS pointer, not the model: run `git lfs pull`",
    ],
  ])("%s", (_, bytes, problem) => {
    expect(readOnnxSignature(bytes)).toMatchObject({ problem });
  });
  test("no prefix of a file throws", () => {
    for (let length = 0; length < whole.length; length++)
      expect(readOnnxSignature(whole.subarray(0, length)).problem, `${length} bytes`).toBeTypeOf("string");
  });
});
