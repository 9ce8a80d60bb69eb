import { deflateSync, gzipSync } from "node:zlib";
import type { RawRequest } from "./raw-request.ts";

type Json = Readonly<Record<string, unknown>>;

const infer = (model: string, body: unknown, headers: Readonly<Record<string, string>> = {}): RawRequest => ({
  path: `/v2/models/${model}/infer`,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers,
});
const post = (path: string, body: unknown = {}): RawRequest => ({ path, body: JSON.stringify(body) });
const a: Json = { name: "A", datatype: "FP32", shape: [1, 2], data: [1, 2] };
const b: Json = { name: "B", datatype: "FP32", shape: [1, 2], data: [0.5, -3] };
const sum = (
  change: Json = {},
  request: Json = {},
  headers: Readonly<Record<string, string>> = {},
): RawRequest => infer("sum", { inputs: [a, { ...b, ...change }], ...request }, headers);
const echo = (dtype: string, shape: unknown, data: unknown, rest: Json = {}): RawRequest =>
  infer(`echo_${dtype.toLowerCase()}`, { inputs: [{ name: "X", datatype: dtype, shape, data, ...rest }] });
const without = (object: Json, key: string): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));

/** A request of JSON and the binary data behind it; `length` stands in the header instead of the JSON's. */
const binary = (model: string, json: unknown, data: Uint8Array, length?: string): RawRequest => {
  const head = Buffer.from(JSON.stringify(json));
  return {
    path: `/v2/models/${model}/infer`,
    headers: { "Inference-Header-Content-Length": length ?? String(head.length) },
    body: Buffer.concat([head, data]),
  };
};
const int32 = (...values: readonly number[]): Buffer => Buffer.from(new Int32Array(values).buffer);
const binaryInput = (datatype: string, shape: readonly number[], size: unknown, rest: Json = {}): Json => ({
  inputs: [{ name: "X", datatype, shape, parameters: { binary_data_size: size } }],
  ...rest,
});
const text = (...elements: readonly string[]): Buffer =>
  Buffer.concat(
    elements.flatMap((element) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(element));
      return [length, Buffer.from(element)];
    }),
  );

const routes: Readonly<Record<string, RawRequest>> = {
  live: { path: "/v2/health/live" },
  ready: { path: "/v2/health/ready" },
  "health alone": { path: "/v2/health" },
  "the root": { path: "/" },
  "no version of the protocol": { path: "/models/sum" },
  "no list of models": { path: "/v2/models" },
  "a slash at the end": { path: "/v2/" },
  "a model's metadata": { path: "/v2/models/sum" },
  "a version's metadata": { path: "/v2/models/sum/versions/2" },
  "an ensemble's metadata": { path: "/v2/models/sum_twice" },
  "metadata of a reshaped model": { path: "/v2/models/scalar" },
  "metadata of an unknown model": { path: "/v2/models/nope" },
  "metadata of an unknown version": { path: "/v2/models/sum/versions/9" },
  "a version that is no number": { path: "/v2/models/sum/versions/x" },
  "a version with a sign": { path: "/v2/models/sum/versions/-1" },
  "a version beyond int64": { path: "/v2/models/sum/versions/99999999999999999999" },
  "an ensemble's configuration": { path: "/v2/models/sum_twice/config" },
  "a python model's configuration": { path: "/v2/models/failing/config" },
  "the configuration of an unknown model": { path: "/v2/models/nope/config" },
  "ready of a model": { path: "/v2/models/sum/ready" },
  "ready of a version": { path: "/v2/models/sum/versions/1/ready" },
  "ready of an unknown model": { path: "/v2/models/nope/ready" },
  "ready of an unknown version": { path: "/v2/models/sum/versions/3/ready" },
  "a name that is escaped": { path: "/v2/models/%73um" },
  "a query": { path: "/v2/models/sum?x=1" },
  "something behind a model": { path: "/v2/models/sum/x" },
  "GET of infer": { path: "/v2/models/sum/infer" },
  "PUT of infer": { ...sum(), method: "PUT" },
  "POST of metadata": post("/v2/models/sum"),
  "POST of ready": post("/v2/health/ready"),
  "DELETE of a model": { method: "DELETE", path: "/v2/models/sum" },
  "infer of an unknown model": infer("nope", { inputs: [] }),
  "infer of an unknown model with a bad body": infer("nope", "{"),
  "infer of an unknown version": { ...sum(), path: "/v2/models/sum/versions/3/infer" },
  "infer of a version": { ...sum(), path: "/v2/models/sum/versions/1/infer" },
  "the repository's index": post("/v2/repository/index"),
  "the server's metadata": { path: "/v2" },
};

const json: Readonly<Record<string, RawRequest>> = {
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
};

const bytes: Readonly<Record<string, RawRequest>> = {
  "binary in": binary("echo_int32", binaryInput("INT32", [1, 2], 8), int32(1, -2)),
  "binary in and out": binary(
    "echo_int32",
    binaryInput("INT32", [1, 2], 8, { outputs: [{ name: "Y", parameters: { binary_data: true } }] }),
    int32(1, -2),
  ),
  "binary out for all": {
    ...sum({}, { id: "x", parameters: { binary_data_output: true } }),
  },
  "one output binary, one in JSON": sum(
    {},
    { outputs: [{ name: "SUM" }, { name: "DIFF", parameters: { binary_data: true } }] },
  ),
  "binary off for one": sum(
    {},
    {
      parameters: { binary_data_output: true },
      outputs: [{ name: "SUM", parameters: { binary_data: false } }],
    },
  ),
  "binary strings": binary(
    "echo_bytes",
    binaryInput("BYTES", [1, 2], 11, { parameters: { binary_data_output: true } }),
    text("", "日"),
  ),
  "binary strings cut by their size": binary("echo_bytes", binaryInput("BYTES", [1, 2], 10), text("", "日")),
  "binary halves": binary(
    "echo_fp16",
    binaryInput("FP16", [1, 2], 4, { parameters: { binary_data_output: true } }),
    Buffer.from([0, 60, 0, 192]),
  ),
  "halves wanted in JSON": binary("echo_fp16", binaryInput("FP16", [1, 2], 4), Buffer.from([0, 60, 0, 192])),
  "binary too short": binary("echo_int32", binaryInput("INT32", [1, 2], 8), int32(1)),
  "binary with more behind": binary("echo_int32", binaryInput("INT32", [1, 2], 8), int32(1, 2, 3)),
  "binary of another size": binary("echo_int32", binaryInput("INT32", [1, 2], 12), int32(1, 2, 3)),
  "a size that is a string": binary("echo_int32", binaryInput("INT32", [1, 2], "8"), int32(1, 2)),
  "a size below 0": binary("echo_int32", binaryInput("INT32", [1, 2], -8), int32(1, 2)),
  "a size without a header": infer("echo_int32", binaryInput("INT32", [1, 2], 8)),
  "a size of 0 for no elements": binary("echo_int32", binaryInput("INT32", [0, 2], 0), Buffer.alloc(0)),
  "data and binary data": binary(
    "echo_int32",
    {
      inputs: [
        { name: "X", datatype: "INT32", shape: [1, 1], data: [1], parameters: { binary_data_size: 4 } },
      ],
    },
    int32(1),
  ),
  "a header length beyond the body": binary("echo_int32", binaryInput("INT32", [1, 1], 4), int32(1), "5000"),
  "a header length below 0": binary("echo_int32", binaryInput("INT32", [1, 1], 4), int32(1), "-1"),
  "a header length that is no number": binary("echo_int32", binaryInput("INT32", [1, 1], 4), int32(1), "x"),
  "a header length within the JSON": binary("echo_int32", binaryInput("INT32", [1, 1], 4), int32(1), "20"),
  "a header length of the whole body": sum({}, {}, { "Inference-Header-Content-Length": "1" }),
  "a string cut in its length": binary("echo_bytes", binaryInput("BYTES", [1, 1], 2), Buffer.from([1, 0])),
  "a string cut in its text": binary(
    "echo_bytes",
    binaryInput("BYTES", [1, 1], 5),
    Buffer.from([9, 0, 0, 0, 65]),
  ),
  "too few strings": binary("echo_bytes", binaryInput("BYTES", [1, 3], 10), text("", "xy")),
  "too many strings": binary("echo_bytes", binaryInput("BYTES", [1, 1], 10), text("", "xy")),
  "raw binary": { ...binary("raw", {}, int32(1, 2, 3, 4), "0"), body: int32(1, 2, 3, 4) },
  "raw binary of half a row": { ...binary("raw", {}, int32(1), "0"), body: int32(1, 2, 3) },
  "raw binary of a model with two inputs": { ...binary("sum", {}, int32(1), "0"), body: int32(1, 2) },
  "raw binary of one string": { ...binary("text", {}, int32(1), "0"), body: "hello" },
  "raw binary of two variable dims": { ...binary("echo_int32", {}, int32(1), "0"), body: int32(1, 2) },
  "an empty body": { method: "POST", path: "/v2/models/sum/infer", body: "" },
  "an empty body for one input": { method: "POST", path: "/v2/models/raw/infer", body: "" },
  gzip: {
    ...sum(),
    headers: { "Content-Encoding": "gzip" },
    body: gzipSync(String(sum().body)),
  },
  deflate: {
    ...sum(),
    headers: { "Content-Encoding": "deflate" },
    body: deflateSync(String(sum().body)),
  },
  "gzip that is none": { ...sum(), headers: { "Content-Encoding": "gzip" } },
  "another encoding": { ...sum(), headers: { "Content-Encoding": "br" } },
  identity: { ...sum(), headers: { "Content-Encoding": "identity" } },
};

/** Requests, good and bad, by what is asked. */
/** A request whose text JSON.stringify would not write. */
const written = (head: string, element: Uint8Array, tail: string): RawRequest => ({
  path: "/v2/models/echo_bytes/infer",
  headers: {},
  body: Buffer.concat([Buffer.from(head), element, Buffer.from(tail)]),
});
const textHead = '{"inputs":[{"name":"X","datatype":"BYTES","shape":[1],"data":["';

const odd: Readonly<Record<string, RawRequest>> = {
  "bytes in a string that are no UTF-8": written(textHead, Buffer.from([0xff, 0xfe]), '"]}]}'),
  "half a surrogate pair": written(textHead, Buffer.from("\\ud800"), '"]}]}'),
  "a whole surrogate pair": written(textHead, Buffer.from("\\ud83d\\ude00"), '"]}]}'),
  "a byte order mark": written("\ufeff", Buffer.from(textHead), 'a"]}]}'),
  "a key given twice": written(
    '{"inputs":[{"name":"X","name":"Z",',
    Buffer.from('"datatype":"BYTES","shape":[1],'),
    '"data":["a"]}]}',
  ),
};

const classesOf = (name: string, classification: unknown): Json => ({
  outputs: [{ name, parameters: { classification } }],
});

/** The classification extension. Asked for classes of text or booleans the server dies. */
const classes: Readonly<Record<string, RawRequest>> = {
  "the largest element": sum({}, classesOf("SUM", 1)),
  "more classes than there are": sum({}, classesOf("SUM", 9)),
  "classes of an output without labels": sum({}, classesOf("DIFF", 2)),
  "no classes": sum({}, classesOf("SUM", 0)),
  "classes as text": sum({}, classesOf("SUM", "1")),
  "classes below zero": sum({}, classesOf("SUM", -1)),
  "classes of two rows": infer("sum", {
    inputs: [a, b].map((one) => ({ ...one, shape: [2, 2], data: [1, 2, 4, 3] })),
    ...classesOf("SUM", 2),
  }),
  "classes as binary data": sum(
    {},
    {
      outputs: [{ name: "SUM", parameters: { classification: 2, binary_data: true } }],
    },
  ),
  "classes of one output of two": sum(
    {},
    {
      outputs: [{ name: "SUM", parameters: { classification: 1 } }, { name: "DIFF" }],
    },
  ),
  "classes of integers": infer("echo_int64", {
    inputs: [{ name: "X", datatype: "INT64", shape: [2, 2], data: [1, -7, 9, 0] }],
    ...classesOf("Y", 3),
  }),
  "classes of extremes": infer("echo_fp32", {
    inputs: [{ name: "X", datatype: "FP32", shape: [1, 4], data: [1e30, -1e-9, 3.4028235e38, 0.1] }],
    ...classesOf("Y", 4),
  }),
};

export const rawRequests: Readonly<Record<string, RawRequest>> = {
  ...routes,
  ...json,
  ...bytes,
  ...odd,
  ...classes,
};
