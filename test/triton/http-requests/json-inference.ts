import type { RawRequest } from "../raw-request.ts";
import { a, b, echo, infer, type Json, type Requests, sum } from "./infer-message.ts";

const without = (object: Json, key: string): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
const optional = (names: readonly string[], model = "optional"): RawRequest =>
  infer(model, {
    inputs: names.map((name) => ({ name, datatype: "INT32", shape: [1], data: [1] })),
  });

/** Inference in JSON: valid tensors, and tensors with every kind of mistake. */
export const jsonInference: Requests = {
  "a sum": sum(),
  "a sum with an id": sum({}, { id: "ü-7" }),
  "an empty id": sum({}, { id: "" }),
  "a batch": infer("sum", {
    inputs: [
      {
        ...a,
        shape: [3, 2],
        data: [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
      },
      { ...b, shape: [3, 2], data: [1, 2, 3, 4, 5, 0.1] },
    ],
  }),
  "one output": sum({}, { outputs: [{ name: "DIFF" }] }),
  "outputs in another order": sum({}, { outputs: [{ name: "DIFF" }, { name: "SUM" }] }),
  "no output wanted": sum({}, { outputs: [] }),
  "an output twice": sum({}, { outputs: [{ name: "SUM" }, { name: "SUM" }] }),
  "an unknown output": sum({}, { outputs: [{ name: "NOPE" }] }),
  "an output without a name": sum({}, { outputs: [{}] }),
  "outputs that are no list": sum({}, { outputs: { name: "SUM" } }),
  "an unknown member": sum({ more: 1 }, { more: { x: [] } }),
  parameters: sum({}, { parameters: { note: "x", count: 3, exact: true, share: 1.5 } }),
  "a reserved parameter": sum({}, { parameters: { triton_x: 1 } }),
  "a parameter that is null": sum({}, { parameters: { p: null } }),
  "a parameter that is a list": sum({}, { parameters: { p: [1] } }),
  "parameters that are no object": sum({}, { parameters: 3 }),
  "inputs in another order": infer("sum", { inputs: [b, a] }),
  "an ensemble": { ...sum({}, { id: "e" }), path: "/v2/models/sum_twice/infer" },
  "an ensemble with one output": {
    ...sum({}, { outputs: [{ name: "DIFF" }] }),
    path: "/v2/models/sum_twice/infer",
  },
  "a reshaped row": infer("scalar", {
    inputs: [{ name: "X", datatype: "FP32", shape: [2, 1], data: [1, 2] }],
  }),
  "a reshaped row as the model sees it": infer("scalar", {
    inputs: [{ name: "X", datatype: "FP32", shape: [2], data: [1, 2] }],
  }),
  "an id that is a number": sum({}, { id: 7 }),
  "no inputs": infer("sum", {}),
  "inputs that are no list": infer("sum", { inputs: a }),
  "an input that is null": infer("sum", { inputs: [null, a] }),
  "no JSON": infer("sum", "{"),
  "a JSON list": infer("sum", "[]"),
  "JSON and more": infer("sum", `${JSON.stringify({ inputs: [a, b] })} x`),
  "a name that is no string": sum({ name: 3 }),
  "no name": infer("sum", { inputs: [a, without(b, "name")] }),
  "no shape": infer("sum", { inputs: [a, without(b, "shape")] }),
  "no datatype": infer("sum", { inputs: [a, without(b, "datatype")] }),
  "no data": infer("sum", { inputs: [a, without(b, "data")] }),
  "a missing input": infer("sum", { inputs: [a] }),
  "no input at all": infer("sum", { inputs: [] }),
  "an input too many": infer("sum", { id: "many", inputs: [a, b, { ...b, name: "X" }] }),
  "an unknown input": sum({ name: "C" }),
  "an input twice": sum({ name: "A" }),
  "another dtype": sum({ datatype: "INT32", data: [1, 2] }),
  "an unknown dtype": sum({ datatype: "fp32" }),
  "STRING for BYTES": echo("STRING", [1, 1], ["x"]),
  "another shape": sum({ shape: [1, 3], data: [1, 2, 3] }, { id: "s" }),
  "another rank": sum({ shape: [2] }),
  "no rank": sum({ shape: [], data: [1] }),
  "no rank, much data": sum({ shape: [] }),
  "a negative dim": sum({ shape: [1, -2] }),
  "a dim that is a fraction": sum({ shape: [1, 2.5] }),
  "a dim that is a string": sum({ shape: [1, "2"] }),
  "two batches": sum({ shape: [2, 2], data: [1, 2, 3, 4] }),
  "a batch too large": infer("sum", {
    inputs: [a, b].map((input) => ({ ...input, shape: [5, 2], data: Array(10).fill(1) })),
  }),
  "an empty batch": infer("sum", { inputs: [a, b].map((input) => ({ ...input, shape: [0, 2], data: [] })) }),
  "an ensemble's batch too large": infer("sum_twice", {
    inputs: [a, b].map((input) => ({ ...input, shape: [5, 2], data: Array(10).fill(1) })),
  }),
  "too little data": sum({ data: [1] }),
  "too much data": sum({ data: [1, 2, 3] }),
  "data nested otherwise": sum({ data: [[[1], [2]]] }),
  "data nested unevenly": sum({ data: [[1], 2] }),
  "data that is no list": sum({ data: 5 }),
  "data with a string": sum({ data: [1, "2"] }),
  "data with null": sum({ data: [1, null] }),
  "numbers beyond a float": sum({ data: [1e39, -1e39] }),
  "small and large floats": sum({ data: [1e-30, 123456789] }),
  float64: echo("FP64", [1, 4], [0.1, 1e300, -5e-324, 3]),
  float32: echo("FP32", [1, 4], [0.1, 3.4e38, 16777217, -0]),
  "an int8 beyond its range": echo("INT8", [1, 2], [300, -129]),
  "an int that is a fraction": echo("INT32", [1, 1], [1.5]),
  "an int that is a boolean": echo("INT32", [1, 1], [true]),
  "an int32 beyond its range": echo("INT32", [1, 1], [2147483648]),
  "an int64 to the last digit": infer(
    "echo_int64",
    '{"inputs":[{"name":"X","datatype":"INT64","shape":[1,2],"data":[9223372036854775807,-9223372036854775808]}]}',
  ),
  "a uint64 to the last digit": infer(
    "echo_uint64",
    '{"inputs":[{"name":"X","datatype":"UINT64","shape":[1,1],"data":[18446744073709551615]}]}',
  ),
  "an int64 with an exponent": infer(
    "echo_int64",
    '{"inputs":[{"name":"X","datatype":"INT64","shape":[1,1],"data":[1e3]}]}',
  ),
  "a uint64 that is a fraction of zero": infer(
    "echo_uint64",
    '{"inputs":[{"name":"X","datatype":"UINT64","shape":[1,1],"data":[18446744073709551615.0]}]}',
  ),
  "a float with a fraction of zero": infer(
    "sum",
    `{"inputs":[${JSON.stringify(a)},{"name":"B","datatype":"FP32","shape":[1,2],"data":[1.0,2e0]}]}`,
  ),
  "a dim with a fraction of zero": infer(
    "sum",
    '{"inputs":[{"name":"A","datatype":"FP32","shape":[1,2.0],"data":[1,2]}]}',
  ),
  "a dim with an exponent": infer(
    "sum",
    '{"inputs":[{"name":"A","datatype":"FP32","data":[1.0,2.0],"shape":[1,2e0]}]}',
  ),
  "a uint64 below 0": echo("UINT64", [1, 1], [-1]),
  booleans: echo("BOOL", [1, 2], [true, false]),
  "a boolean that is a number": echo("BOOL", [1, 2], [1, 0]),
  strings: echo("BYTES", [1, 3], ["", "日本 👩‍🚀", '"\\\n/']),
  "a string with NUL": echo("BYTES", [1, 1], ["a\u0000b"]),
  "a string that is a number": echo("BYTES", [1, 1], [5]),
  halves: echo("FP16", [1, 1], [1]),
  "no elements": echo("INT32", [0, 3], []),
  "a failing model": infer("failing", {
    inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [4] }],
  }),
  ...Object.fromEntries(
    [1, 2, 3].map((code) => [
      `a failing model with code ${code}`,
      infer("failing", { inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [code] }] }),
    ]),
  ),
  "a model that throws": infer("failing", {
    inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [0] }],
  }),
  "a failing step": infer("failing_inside", {
    inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [1] }],
  }),
  "an optional input left out": optional(["A"]),
  "an optional input given": optional(["A", "B"]),
  "the optional input alone": optional(["B"]),
  "neither input": optional([]),
  "an ensemble's optional input left out": optional(["A"], "optional_inside"),
  "an ensemble's optional input alone": optional(["B"], "optional_inside"),
  "a third input": optional(["A", "B", "C"]),
  "an unknown one for the optional": optional(["A", "C"]),
  "names that are not ASCII": infer("names", {
    inputs: [{ name: "größe 日本", datatype: "INT32", shape: [1], data: [7] }],
    outputs: [{ name: "größe×2 👍" }],
  }),
  "names that are not ASCII, escaped": infer(
    "names",
    '{"inputs":[{"name":"gr\\u00f6\\u00dfe \\u65e5\\u672c","datatype":"INT32","shape":[1],"data":[7]}]}',
  ),
  "a name that is composed otherwise": infer("names", {
    inputs: [{ name: "gro\u0308ße 日本", datatype: "INT32", shape: [1], data: [7] }],
  }),
  "an unknown output that is not ASCII": infer("names", {
    inputs: [{ name: "größe 日本", datatype: "INT32", shape: [1], data: [7] }],
    outputs: [{ name: "größe" }],
  }),
  "an id with quotes and controls": sum({}, { id: 'a"b\\c\n\t\u0001/é👍' }),
  "an id with NUL": sum({}, { id: "a\u0000b" }),
  "a long id": sum({}, { id: "x".repeat(10_000) }),
  "an id in an error": infer("sum", { id: 'ü"7', inputs: [a] }),
  "an empty name of an input": infer("sum", { inputs: [a, { ...b, name: "" }] }),
  "a dim beyond int64": infer(
    "sum",
    '{"inputs":[{"name":"A","datatype":"FP32","shape":[9223372036854775808,2],"data":[1,2]}]}',
  ),
  "a dim beyond uint64": infer(
    "sum",
    '{"inputs":[{"name":"A","datatype":"FP32","shape":[18446744073709551616,2],"data":[1,2]}]}',
  ),
  "dims whose product is beyond int64": sum({ shape: [4294967296, 4294967296] }),
  "a shape of ten dims": echo("INT32", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1]),
  "a shape with 0 and data": echo("INT32", [0, 3], [1]),
  "a shape with 0 in the second place": echo("INT32", [3, 0], []),
  "text with a shape of 0": echo("BYTES", [0, 3], []),
  "no data for a shape of 0": infer("echo_int32", {
    inputs: [{ name: "X", datatype: "INT32", shape: [0, 3] }],
  }),
  "data nested in empty lists": echo("INT32", [1, 2], [[], [1, [2]], []]),
  "too little text": echo("BYTES", [1, 2], ["a"]),
  "too much text": echo("BYTES", [1, 2], ["a", "b", "c"]),
  "text with null": echo("BYTES", [1, 2], ["a", null]),
  "text in lists": echo("BYTES", [2, 1], [["a"], ["b"]]),
  "a datatype in small letters": echo("int32", [1, 1], [1]),
  "an empty datatype": sum({ datatype: "" }),
  "a datatype of the configuration": sum({ datatype: "TYPE_FP32" }),
  "a datatype of another model": sum({ datatype: "BYTES", data: ["1", "2"] }),
  "no batch": infer("batched", { inputs: [{ name: "X", datatype: "INT32", shape: [1], data: [1] }] }),
  "a row of a batcher": infer("batched", {
    inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [1] }],
  }),
  "a full batch of a batcher": infer("batched", {
    inputs: [{ name: "X", datatype: "INT32", shape: [4, 1], data: [1, 2, 3, 4] }],
  }),
  "too large a batch of a batcher": infer("batched", {
    inputs: [{ name: "X", datatype: "INT32", shape: [5, 1], data: [1, 2, 3, 4, 5] }],
  }),
  "an empty batch of a batcher": infer("batched", {
    inputs: [{ name: "X", datatype: "INT32", shape: [0, 1], data: [] }],
  }),
  "an ensemble with an empty batch": infer("sum_twice", {
    inputs: [a, b].map((input) => ({ ...input, shape: [0, 2], data: [] })),
  }),
  "an ensemble without an input": infer("sum_twice", { inputs: [a] }),
  "an ensemble with another dtype": infer("sum_twice", {
    inputs: [a, { ...b, datatype: "INT32", data: [1, 2] }],
  }),
  "an ensemble with an unknown output": infer("sum_twice", { inputs: [a, b], outputs: [{ name: "first" }] }),
  "an ensemble with classes": infer("sum_twice", {
    inputs: [a, b],
    outputs: [{ name: "SUM", parameters: { classification: 1 } }],
  }),
  "a version of an ensemble": {
    ...infer("sum_twice", { inputs: [a, b] }),
    path: "/v2/models/sum_twice/versions/1/infer",
  },
};
