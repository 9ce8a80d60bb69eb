import { floats, type GrpcRequests, infer, sum, tensor, typedSum } from "./infer-message.ts";

const classes = (parameter: object) => [{ name: "SUM", parameters: { classification: parameter } }];
const optional = (...names: readonly string[]) =>
  infer({
    model_name: "optional",
    inputs: names.map((name) => tensor(name, "INT32", [1], { contents: { int_contents: [1] } })),
  });

/** Valid requests to ModelInfer, and requests with every kind of mistake. */
export const inference: GrpcRequests = {
  "raw contents": sum(),
  "typed contents": typedSum({ fp32_contents: [0.5, -3] }),
  "an id": sum({ id: "ü 7" }),
  "an id with NUL": sum({ id: "a\0b" }),
  "a version": sum({ model_version: "1" }),
  "an unknown version": sum({ model_version: "9" }),
  "a version that is not a number": sum({ model_version: "x" }),
  "a version below 0": sum({ model_version: "-1" }),
  "a version beyond int64": sum({ model_version: "99999999999999999999" }),
  "an unknown model": sum({ model_name: "nope" }),
  "no model": sum({ model_name: "" }),
  "an empty message": infer({}),
  "no inputs": infer({ model_name: "sum" }),
  "a missing input": sum({ inputs: [tensor("A", "FP32", [1, 2])], raw_input_contents: [floats(1, 2)] }),
  "a missing input and an id": sum({
    id: "seven",
    inputs: [tensor("A", "FP32", [1, 2])],
    raw_input_contents: [floats(1, 2)],
  }),
  "an input too many": sum({
    inputs: ["A", "B", "C"].map((name) => tensor(name, "FP32", [1, 2])),
    raw_input_contents: [floats(1, 2), floats(1, 2), floats(1, 2)],
  }),
  "an unknown input": sum({}, { name: "C" }),
  "an input twice": sum({}, { name: "A" }),
  "an empty name": sum({}, { name: "" }),
  "another dtype": sum({}, { datatype: "INT32" }),
  "an unknown dtype": sum({}, { datatype: "FLOAT" }),
  "an empty dtype": sum({}, { datatype: "" }),
  "a dtype in small letters": sum({}, { datatype: "fp32" }),
  "another shape": sum({}, { shape: [2, 1] }),
  "another rank": sum({}, { shape: [2] }),
  "no shape": sum({}, { shape: [] }),
  "a dim below 0": sum({}, { shape: [1, -2] }),
  "a dim of -1": sum({}, { shape: [-1, 2] }),
  "a dim of 0": sum({}, { shape: [0, 2] }),
  "dims whose product is beyond int64": sum({}, { shape: ["4294967296", "4294967296"] }),
  "two batches": sum({ raw_input_contents: [floats(1, 2), floats(1, 2, 3, 4)] }, { shape: [2, 2] }),
  "a batch too large": infer({
    model_name: "sum",
    inputs: ["A", "B"].map((name) => tensor(name, "FP32", [5, 2])),
    raw_input_contents: [Buffer.alloc(40), Buffer.alloc(40)],
  }),
  "an empty batch": infer({
    model_name: "sum",
    inputs: ["A", "B"].map((name) => tensor(name, "FP32", [0, 2])),
    raw_input_contents: [Buffer.alloc(0), Buffer.alloc(0)],
  }),
  "one output": sum({ outputs: [{ name: "DIFF" }] }),
  "outputs in another order": sum({ outputs: [{ name: "DIFF" }, { name: "SUM" }] }),
  "an output twice": sum({ outputs: [{ name: "DIFF" }, { name: "DIFF" }] }),
  "an unknown output": sum({ outputs: [{ name: "NOPE" }] }),
  "an output without a name": sum({ outputs: [{}] }),
  "an optional input left out": optional("A"),
  "an optional input given": optional("A", "B"),
  "neither input": optional(),
  "an ensemble": sum({ model_name: "sum_twice", id: "e" }),
  "one output of an ensemble": sum({ model_name: "sum_twice", outputs: [{ name: "SUM" }] }),
  "a failing model": infer({
    model_name: "failing",
    inputs: [tensor("X", "INT32", [1, 1], { contents: { int_contents: [4] } })],
  }),
  ...Object.fromEntries(
    [1, 2, 3].map((code) => [
      `a failing model with code ${code}`,
      infer({
        model_name: "failing",
        inputs: [tensor("X", "INT32", [1, 1], { contents: { int_contents: [code] } })],
      }),
    ]),
  ),
  "a failing model, with an id": infer({
    model_name: "failing",
    id: "f",
    inputs: [tensor("X", "INT32", [1, 1], { contents: { int_contents: [1] } })],
  }),
  "a failing step": infer({
    model_name: "failing_inside",
    id: "s",
    inputs: [tensor("X", "INT32", [1, 1], { contents: { int_contents: [1] } })],
  }),
  "names that are not ASCII": infer({
    model_name: "names",
    inputs: [tensor("größe 日本", "INT32", [1], { contents: { int_contents: [21] } })],
  }),
  classes: sum({ outputs: classes({ int64_param: 1 }) }),
  "more classes than there are": sum({ outputs: classes({ int64_param: 9 }) }),
  "no classes": sum({ outputs: classes({ int64_param: 0 }) }),
  "classes below 0": sum({ outputs: classes({ int64_param: -1 }) }),
  "classes as text": sum({ outputs: classes({ string_param: "1" }) }),
  "classes as a boolean": sum({ outputs: classes({ bool_param: true }) }),
  "classes of an ensemble": sum({ model_name: "sum_twice", outputs: classes({ int64_param: 2 }) }),
  gzip: { ...sum(), compression: "gzip" },
  deflate: { ...sum(), compression: "deflate" },
  "gzip of an error": { ...sum({}, { name: "C" }), compression: "gzip" },
  metadata: { ...sum(), metadata: { "x-name": "value", "triton-id": "5" } },
  "800 kB": infer({
    model_name: "echo_int32",
    inputs: [tensor("X", "INT32", [200, 1000])],
    raw_input_contents: [Buffer.alloc(800_000, 3)],
  }),
};
