import { concatBytes, tensorOf } from "@tritype/core";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, test } from "vitest";
import { buildModel, valueInfo } from "./build-model.ts";
import { decodeModel, encodeModel } from "./codec.ts";
import type { GraphProto, ModelProto } from "./model-proto.ts";
import {
  opsetsOf,
  namesIn,
  renameGraph,
  sizeOf,
  type Splice,
  type SplicedPart,
  spliceModel,
} from "./splice-model.ts";

const vector = { dtype: "FP32", dims: ["batch", 2] } as const;
const weight = new Uint8Array(new Float32Array([2, 3]).buffer);

/** y = x * [2, 3], in a file that also has every other part that a file may have. */
const original: ModelProto = {
  irVersion: 8,
  producerName: "an exporter",
  modelVersion: 7,
  docString: "what it is",
  graph: {
    node: [
      { opType: "Mul", name: "/scale/Mul", input: ["x", "scale.weight"], output: ["hidden"] },
      { opType: "Identity", name: "id", input: ["hidden"], output: ["y"] },
      { opType: "Neg", name: "unused", input: ["hidden"], output: ["z"] },
    ],
    name: "main",
    initializer: [{ dims: [2], dataType: 1, name: "scale.weight", rawData: weight }],
    docString: "about the graph",
    input: [valueInfo({ name: "x", type: vector })],
    output: [valueInfo({ name: "y", type: vector }), valueInfo({ name: "z", type: vector })],
    valueInfo: [valueInfo({ name: "hidden", type: vector })],
  },
  opsetImport: [{ domain: "", version: 17 }],
  metadataProps: [{ key: "author", value: "someone" }],
  functions: [
    {
      name: "f",
      domain: "own",
      opsetImport: [{ domain: "", version: 17 }],
      input: ["a"],
      output: ["b"],
      node: [{ opType: "Neg", input: ["a"], output: ["b"] }],
    },
  ],
};

const math = (input: string, output: string, opType: string): GraphProto =>
  decodeModel(
    buildModel(
      { name: "math", inputs: [{ name: input, type: vector }], outputs: [{ name: output, type: vector }] },
      (builder) => ({
        [output]: builder.node(opType, [input, builder.constant(tensorOf("FP32", [], [10]))])[0],
      }),
    ),
  ).graph ?? {};

const splice: Splice = {
  before: renameGraph(math("given", "x", "Add"), (name) =>
    /^(given|x)$/.test(name) ? name : `before/${name}`,
  ),
  after: renameGraph(math("y", "result", "Sub"), (name) =>
    /^(y|result)$/.test(name) ? name : `after/${name}`,
  ),
  droppedInputs: new Set(["x"]),
  inputs: [valueInfo({ name: "given", type: vector })],
  keptOutputs: new Set(["y"]),
  outputs: [valueInfo({ name: "result", type: vector })],
  opsets: [{ domain: "ai.onnx.ml", version: 3 }],
};

const reader = (bytes: Uint8Array) => (at: number, length: number) => bytes.subarray(at, at + length);

const spliced = (bytes: Uint8Array): Uint8Array =>
  joined(spliceModel(bytes.length, reader(bytes), splice) ?? [], bytes);

const joined = (parts: readonly SplicedPart[], bytes: Uint8Array): Uint8Array =>
  concatBytes(
    parts.map((part) => (part instanceof Uint8Array ? part : bytes.subarray(part.start, part.end))),
  );

test("nodes are added before and after the file's own nodes, and everything else stays the same", async () => {
  const bytes = spliced(encodeModel(original));
  const model = decodeModel(bytes);
  const { graph = {}, ...rest } = original;
  expect(model).toMatchObject({ ...rest, opsetImport: [...(rest.opsetImport ?? []), ...splice.opsets] });
  expect(model.graph?.node?.map(({ name, input, output }) => [name, input, output])).toEqual([
    ["before/add", ["given", "before/constant"], ["x"]],
    ...(graph.node ?? []).map(({ name, input, output }) => [name, input, output]),
    ["after/sub", ["y", "after/constant"], ["result"]],
  ]);
  expect(model.graph?.initializer?.map(({ name }) => name)).toEqual([
    "scale.weight",
    "before/constant",
    "after/constant",
  ]);
  expect(model.graph).toMatchObject({
    name: "main",
    docString: "about the graph",
    valueInfo: graph.valueInfo,
  });
  expect(model.graph?.input?.map(({ name }) => name)).toEqual(["given"]);
  expect(model.graph?.output?.map(({ name }) => name)).toEqual(["y", "result"]);
  const session = await InferenceSession.create(bytes, { logSeverityLevel: 4 });
  const answer = await session.run({ given: new Tensor("float32", [1, 2], [1, 2]) });
  expect(answer["y"]?.data).toEqual(new Float32Array([22, 36]));
  expect(answer["result"]?.data).toEqual(new Float32Array([12, 26]));
  await session.release();
});

test("the values of tensors are not read", () => {
  const values = 3 * 2 ** 20;
  const large = { dims: [values], dataType: 2, name: "large", rawData: new Uint8Array(values) };
  const { graph = {} } = original;
  const bytes = encodeModel({
    ...original,
    graph: { ...graph, initializer: [large, ...(graph.initializer ?? [])] },
  });
  let read = 0;
  const parts =
    spliceModel(
      bytes.length,
      (at, length) => {
        read += length;
        return bytes.subarray(at, at + length);
      },
      splice,
    ) ?? [];
  expect(read).toBeLessThan(500_000);
  const own = parts.filter((part) => part instanceof Uint8Array).reduce((sum, part) => sum + sizeOf(part), 0);
  expect(own).toBeLessThan(1000);
  expect(decodeModel(joined(parts, bytes)).graph?.initializer?.length).toBe(4);
});

test("a file without a graph, or with a graph in two parts, is left unchanged", () => {
  const none = encodeModel({ irVersion: 8, opsetImport: [{ version: 17 }] });
  expect(spliceModel(none.length, reader(none), splice)).toBeUndefined();
  const one = encodeModel(original);
  const two = new Uint8Array([...one, ...encodeModel({ graph: { docString: "more" } })]);
  expect(spliceModel(two.length, reader(two), splice)).toBeUndefined();
});

test("names are found and changed in subgraphs too", () => {
  const branch: GraphProto = {
    node: [{ opType: "Neg", name: "inner", input: ["outer"], output: ["made"] }],
    output: [valueInfo({ name: "made", type: vector })],
  };
  const graph: GraphProto = {
    node: [
      {
        opType: "If",
        name: "if",
        input: ["c", ""],
        output: ["y"],
        attribute: [{ name: "then_branch", g: branch }],
      },
    ],
  };
  expect([...namesIn({ graph })]).toEqual(["if", "c", "", "y", "made", "inner", "outer"]);
  const names = namesIn({ graph: renameGraph(graph, (name) => `p/${name}`) });
  expect([...names]).toEqual(["p/if", "p/c", "", "p/y", "p/made", "p/inner", "p/outer"]);
});

test.each([
  [[], 13, Infinity],
  [[{ opType: "LayerNormalization" }], 17, Infinity],
  [[{ opType: "Shape" }], 13, Infinity],
  [[{ opType: "Shape", attribute: [{ name: "start" }] }], 15, Infinity],
  [[{ opType: "Reshape", attribute: [{ name: "allowzero" }] }], 14, Infinity],
  [[{ opType: "Split", input: ["x"] }], 13, 17],
  [[{ opType: "Split", input: ["x", "sizes"] }], 13, Infinity],
  [
    [{ opType: "If", attribute: [{ name: "g", g: { node: [{ opType: "LayerNormalization" }] } }] }],
    17,
    Infinity,
  ],
] as const)("the opsets of %j", (node, lowest, highest) => {
  expect(opsetsOf({ node })).toEqual({ lowest, highest });
});
