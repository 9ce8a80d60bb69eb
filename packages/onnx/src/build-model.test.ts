import { type Dim, type DType, type TensorType, tensorOf } from "@tritype/core";
import * as fc from "fast-check";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";
import { buildModel, type ModelPort } from "./build-model.ts";
import { decodeModel, encodeModel } from "./codec.ts";
import { type OnnxSignature, readOnnxSignature } from "./read-signature.ts";

const float = (...dims: Dim[]): TensorType => ({ dtype: "FP32", dims });
const port = (name: string, type: TensorType): ModelPort => ({ name, type });

const elementsOf = (tensor: Tensor | undefined): (number | string)[] =>
  tensor === undefined ? [] : [...(tensor.data as Float32Array | string[])];

/** y = max(x * 2 + 2, 0) + (x * 2), built with two equal constants. */
const affine = (): Uint8Array =>
  buildModel(
    { name: "affine", inputs: [port("x", float("batch", 2))], outputs: [port("y", float("batch", 2))] },
    (builder) => {
      const two = () => builder.constant(tensorOf("FP32", [], [2]));
      const [doubled] = builder.node("Mul", ["x", two()]);
      const [shifted] = builder.node("Add", [doubled, two()]);
      const [clipped] = builder.node("Relu", [shifted]);
      return { y: builder.node("Add", [clipped, doubled])[0] };
    },
  );

describe("names", () => {
  const graph = decodeModel(affine()).graph;

  test("nodes are named after their operator and number", () => {
    expect(graph?.node?.map((node) => node.name)).toEqual(["mul", "add", "relu", "add_1"]);
  });
  test("the last value has the declared name", () => {
    expect(graph?.node?.map((node) => node.output)).toEqual([["mul"], ["add"], ["relu"], ["y"]]);
  });
  test("equal constants share one initializer", () => {
    expect(graph?.initializer?.map((tensor) => tensor.name)).toEqual(["constant"]);
  });
  test("inner values never get names from the signature", () => {
    const ports = { inputs: [port("relu", float(1))], outputs: [port("relu_1", float(1))] };
    const bytes = buildModel({ name: "g", ...ports }, (builder) => {
      const [inner] = builder.node("Relu", ["relu"]);
      return { relu_1: builder.node("Neg", [inner])[0] };
    });
    expect(decodeModel(bytes).graph?.node?.map((node) => node.output)).toEqual([["relu_2"], ["relu_1"]]);
  });
  test("a node may have several outputs", () => {
    const ports = { inputs: [port("x", float(4))], outputs: [port("a", float(2)), port("b", float(2))] };
    const bytes = buildModel({ name: "g", ...ports }, (builder) => {
      const [first, second] = builder.node("Split", ["x"], { axis: { int: 0 } }, 2);
      return { a: first, b: builder.node("Neg", [second ?? ""])[0] };
    });
    expect(decodeModel(bytes).graph?.node?.map((node) => node.output)).toEqual([["a", "split_out1"], ["b"]]);
  });
});

test("a constant that no node uses is left out", () => {
  const header = { name: "g", inputs: [port("x", float(1))], outputs: [port("y", float(1))] };
  const bytes = buildModel(header, (builder) => {
    builder.constant(tensorOf("FP32", [], [1]));
    return { y: builder.node("Neg", ["x"])[0] };
  });
  expect(decodeModel(bytes).graph?.initializer).toBeUndefined();
});

describe("an output that cannot be renamed passes through an Identity node", () => {
  const run = async (
    outputs: readonly string[],
    values: (relu: string, constant: string) => Record<string, string>,
  ) => {
    const bytes = buildModel(
      { name: "g", inputs: [port("x", float(2))], outputs: outputs.map((name) => port(name, float(2))) },
      (builder) => values(builder.node("Relu", ["x"])[0], builder.constant(tensorOf("FP32", [2], [7, 8]))),
    );
    const session = await InferenceSession.create(bytes);
    const result = await session.run({ x: new Tensor("float32", [-1, 3], [2]) });
    const types = decodeModel(bytes).graph?.node?.map((node) => node.opType);
    return {
      types,
      values: Object.fromEntries(Object.entries(result).map(([k, t]) => [k, [...(t.data as Float32Array)]])),
    };
  };

  test("a value may be returned twice", async () => {
    expect(await run(["a", "b"], (relu) => ({ a: relu, b: relu }))).toEqual({
      types: ["Relu", "Identity"],
      values: { a: [0, 3], b: [0, 3] },
    });
  });
  test("an input", async () => {
    expect(await run(["a"], () => ({ a: "x" }))).toEqual({
      types: ["Relu", "Identity"],
      values: { a: [-1, 3] },
    });
  });
  test("a constant", async () => {
    expect(await run(["a"], (_, constant) => ({ a: constant }))).toEqual({
      types: ["Relu", "Identity"],
      values: { a: [7, 8] },
    });
  });
});

test("an output without a value is reported as our bug", () => {
  const header = { name: "g", inputs: [port("x", float(1))], outputs: [port("y", float(1))] };
  expect(() => buildModel(header, () => ({}))).toThrow('output "y" is "undefined"');
  expect(() => buildModel(header, () => ({ y: "z" }))).toThrow('output "y" is "z"');
});

test("onnxruntime computes what the built model describes", async () => {
  const session = await InferenceSession.create(affine());
  const { y } = await session.run({ x: new Tensor("float32", [1, -1, -2, 0.5], [2, 2]) });
  expect(elementsOf(y)).toEqual([6, -2, -4, 4]);
});

test("constants of every dtype reach onnxruntime", async () => {
  const cases = [
    tensorOf("BOOL", [2], [true, false]),
    tensorOf("UINT8", [2], [0, 255]),
    tensorOf("INT8", [2], [-128, 127]),
    tensorOf("INT64", [2], [-(2n ** 63n), 2n ** 63n - 1n]),
    tensorOf("FP64", [], [0.1]),
    tensorOf("BYTES", [2], ["héllo", ""]),
  ];
  for (const tensor of cases) {
    const type = { dtype: tensor.dtype, dims: tensor.shape };
    const bytes = buildModel({ name: "g", inputs: [], outputs: [{ name: "y", type }] }, (builder) => ({
      y: builder.constant(tensor),
    }));
    const session = await InferenceSession.create(bytes);
    const { y } = await session.run({});
    expect(y?.dims).toEqual(tensor.shape);
    const actual = tensorOf(tensor.dtype, tensor.shape, elementsOf(y));
    expect(actual).toEqual(tensor);
  }
});

const dtypes: readonly DType[] = ["BOOL", "UINT8", "INT8", "INT32", "INT64", "FP16", "FP32", "FP64", "BYTES"];
const dim = fc.oneof(fc.nat(4096), fc.constant(-1), fc.stringMatching(/^[a-z][a-z0-9_#]{0,6}$/));
const ports = fc.uniqueArray(
  fc.record({
    name: fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }),
    type: fc.record({ dtype: fc.constantFrom(...dtypes), dims: fc.array(dim, { maxLength: 5 }) }),
  }),
  { minLength: 1, maxLength: 5, selector: (one) => one.name },
);
/** Inputs, and outputs `out0`, … that copy them. */
const copies = ports.map((inputs) => ({
  inputs,
  outputs: inputs.map(({ type }, index) => ({ name: `out${index}`, type })),
}));

const copyModel = ({ inputs, outputs }: { inputs: ModelPort[]; outputs: ModelPort[] }): Uint8Array =>
  buildModel({ name: "copies", inputs, outputs }, (builder) =>
    Object.fromEntries(
      outputs.map(({ name }, index) => [name, builder.node("Identity", [inputs[index]?.name ?? ""])[0]]),
    ),
  );

describe("laws", () => {
  test("encode(decode(x)) = x", () => {
    fc.assert(
      fc.property(copies, (signature) => {
        const bytes = copyModel(signature);
        expect(encodeModel(decodeModel(bytes))).toEqual(bytes);
      }),
    );
    expect(encodeModel(decodeModel(affine()))).toEqual(affine());
  });
  test("signature(build(x)) = x", () => {
    const typesOf = (read: OnnxSignature["inputs"]) =>
      read.map(({ name, dtype, dims }) => ({ name, type: { dtype, dims } }));
    fc.assert(
      fc.property(copies, (signature) => {
        const read = readOnnxSignature(copyModel(signature));
        if (read.problem !== undefined) expect.fail(read.problem);
        expect({ inputs: typesOf(read.inputs), outputs: typesOf(read.outputs) }).toEqual(signature);
      }),
    );
  });
  test("onnxruntime loads the model and reports the same names", async () => {
    await fc.assert(
      fc.asyncProperty(copies, async (signature) => {
        const session = await InferenceSession.create(copyModel(signature));
        expect(session.inputNames).toEqual(signature.inputs.map((one) => one.name));
        expect(session.outputNames).toEqual(signature.outputs.map((one) => one.name));
        await session.release();
      }),
      { numRuns: 30 },
    );
  });
});
