import { afterAll, describe, expect, it } from "vitest";
import { add, echo, error, infer, input, serveTest, sum } from "./test-server.fixture.ts";

const { server, call, internal } = await serveTest();
afterAll(() => server.close());

const unset = { data: undefined };

describe("infer", () => {
  const id = "[request id: <id_unknown>] ";
  it.each<[string, string, string, number, string]>([
    ["JSON", "add", add({}), 200, sum],
    ["nested differently from its shape", "add", add({ data: [[1], [[2]]] }), 200, sum],
    ["unknown top-level keys", "add", add({}, { whatever: [1] }), 200, sum],
    ["no requested outputs", "add", add({}, { outputs: [] }), 200, sum],
    ["a duplicate output", "add", add({}, { outputs: [{ name: "OUTPUT" }, { name: "OUTPUT" }] }), 200, sum],
    ["an id", "add", add({}, { id: "ü" }), 200, sum.replace("{", '{"id":"ü",')],
    ["float parameter", "add", add({}, { parameters: { p: 1.5 } }), 200, sum],
    ["unknown model", "zzz", "{", 404, error("Request for unknown model: 'zzz' is not found")],
    [
      "missing input",
      "add",
      JSON.stringify({ inputs: [input("INPUT0", {})] }),
      400,
      error(
        `${id}expected 2 inputs but got 1 inputs for model 'add'. Got input(s) ['INPUT0'], but missing required input(s) ['INPUT1']. Please provide all required input(s).`,
      ),
    ],
    [
      "wrong name",
      "add",
      JSON.stringify({ inputs: [input("INPUT0", {}), input("EXTRA", {})] }),
      400,
      error("unexpected inference input 'EXTRA' for model 'add'"),
    ],
    [
      "duplicate input",
      "add",
      JSON.stringify({ id: "7", inputs: [input("INPUT0", {}), input("INPUT0", {})] }),
      400,
      error("[request id: 7] input 'INPUT0' already exists in request"),
    ],
    [
      "unknown output",
      "add",
      add({}, { outputs: [{ name: "NOPE" }] }),
      400,
      error("unexpected inference output 'NOPE' for model 'add'"),
    ],
    [
      "wrong dtype",
      "add",
      add({ datatype: "INT32" }),
      400,
      error(`${id}inference input 'INPUT1' data-type is 'INT32', but model 'add' expects 'FP32'`),
    ],
    ["unknown dtype", "add", add({ datatype: "fp32" }), 400, error("invalid datatype for input INPUT1")],
    [
      "STRING is not a dtype",
      "add",
      add({ datatype: "STRING" }),
      400,
      error("invalid datatype for input INPUT1"),
    ],
    [
      "no inputs",
      "add",
      "{}",
      500,
      error("Unable to parse 'inputs': attempt to access non-existing object member 'inputs'"),
    ],
    [
      "an array",
      "add",
      "[]",
      500,
      error("Unable to parse 'inputs': attempt to access non-existing object member 'inputs'"),
    ],
    [
      "bad JSON",
      "add",
      "{inputs",
      500,
      error("failed to parse the request JSON buffer: Missing a name for object member. at 1"),
    ],
    [
      "missing name",
      "add",
      add({ name: undefined }),
      500,
      error("Unable to parse 'name': attempt to access non-existing object member 'name'"),
    ],
    [
      "missing datatype",
      "add",
      add({ datatype: undefined }),
      500,
      error("Unable to parse 'datatype': attempt to access non-existing object member 'datatype'"),
    ],
    [
      "missing shape",
      "add",
      add({ shape: undefined }),
      500,
      error("Unable to parse 'shape': attempt to access non-existing object member 'shape'"),
    ],
    [
      "negative dim",
      "add",
      add({ shape: [-1, 2] }),
      500,
      error("Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer"),
    ],
    [
      "id is a number",
      "add",
      add({}, { id: 7 }),
      500,
      error("Unable to parse 'id': attempt to access JSON non-string as string"),
    ],
    [
      "string for a number",
      "add",
      add({ data: ["1", "2"] }),
      500,
      error("Unable to parse 'data': attempt to access JSON non-number as double"),
    ],
    [
      "data is not an array",
      "add",
      add({ data: 1 }),
      500,
      error("Unable to parse 'data': attempt to access JSON non-array as array"),
    ],
    [
      "no data",
      "add",
      add(unset),
      400,
      error(
        "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But no field is set",
      ),
    ],
    [
      "data twice",
      "add",
      add({ parameters: { binary_data_size: 8 } }),
      400,
      error(
        "Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But set 'data' 'binary_data_size'",
      ),
    ],
    [
      "too few elements",
      "add",
      add({ data: [1] }),
      500,
      error("Unable to parse 'data': Shape does not match true shape of 'data' field"),
    ],
    [
      "too many elements",
      "add",
      add({ data: [1, 2, 3] }),
      500,
      error("Unable to parse 'data': Shape does not match true shape of 'data' field"),
    ],
    [
      "nesting",
      "add",
      add({ data: JSON.parse(`${"[".repeat(101)}${"]".repeat(101)}`) }),
      400,
      error("JSON nesting depth exceeds maximum allowed limit (100)"),
    ],
    [
      "overflowing shape",
      "add",
      add({ shape: [2 ** 40, 2 ** 40] }),
      400,
      error(
        "invalid shape for input 'INPUT1': shape [1099511627776,1099511627776] causes total element count to exceed maximum size of 9223372036854775807",
      ),
    ],
    [
      "JSON input above the limit",
      "add",
      add({ shape: [1, 1025] }),
      400,
      error(
        "JSON input 'INPUT1' has a byte_size (4100 bytes) that exceeds the maximum allowed value of 4096 bytes. Use --http-max-input-size to increase the limit.",
      ),
    ],
    [
      "FP16 in JSON",
      "echo_fp16",
      echo("FP16", [1, 1], [1]),
      400,
      error(
        "receiving FP16 data via JSON is not supported. Please use the binary data format for input INPUT",
      ),
    ],
    [
      "BF16 in JSON",
      "echo_bf16",
      echo("BF16", [1, 1], [1]),
      400,
      error(
        "receiving BF16 data via JSON is not supported. Please use the binary data format for input INPUT",
      ),
    ],
    [
      "an FP16 answer in JSON",
      "echo_fp16",
      echo("FP16", [0, 1], []),
      400,
      error("sending FP16 data via JSON is not supported. Please use the binary data format for output"),
    ],
    [
      "1.5 for an integer",
      "echo_int32",
      echo("INT32", [1, 1], [1.5]),
      500,
      error("Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer"),
    ],
    [
      "true for an integer",
      "echo_uint8",
      echo("UINT8", [1, 1], [true]),
      500,
      error("Unable to parse 'data': attempt to access JSON non-unsigned-integer as unsigned-integer"),
    ],
    [
      "1 for a bool",
      "echo_bool",
      echo("BOOL", [1, 1], [1]),
      500,
      error("Unable to parse 'data': attempt to access JSON non-boolean as boolean"),
    ],
    [
      "wraps integers",
      "echo_int8",
      echo("INT8", [1, 2], [300, -129]),
      200,
      '{"model_name":"echo_int8","model_version":"1","outputs":[{"name":"OUTPUT","datatype":"INT8","shape":[1,2],"data":[44,127]}]}',
    ],
    [
      "exact 64-bit integers",
      "echo_uint64",
      '{"inputs":[{"name":"INPUT","datatype":"UINT64","shape":[1,2],"data":[18446744073709551615,9007199254740993]}]}',
      200,
      '{"model_name":"echo_uint64","model_version":"1","outputs":[{"name":"OUTPUT","datatype":"UINT64","shape":[1,2],"data":[18446744073709551615,9007199254740993]}]}',
    ],
    [
      "NaN and infinities",
      "echo_fp64",
      '{"inputs":[{"name":"INPUT","datatype":"FP64","shape":[1,4],"data":[NaN,-Inf,-0.0,1e30]}]}',
      200,
      '{"model_name":"echo_fp64","model_version":"1","outputs":[{"name":"OUTPUT","datatype":"FP64","shape":[1,4],"data":[NaN,-Infinity,-0.0,1e30]}]}',
    ],
    [
      "text",
      "echo_bytes",
      echo("BYTES", [1, 2], ["", 'a"\u0000é😀']),
      200,
      `{"model_name":"echo_bytes","model_version":"1","outputs":[{"name":"OUTPUT","datatype":"BYTES","shape":[1,2],"data":["","a\\"\\u0000é😀"]}]}`,
    ],
    [
      "number for text",
      "echo_bytes",
      echo("BYTES", [1, 1], [1]),
      500,
      error("Unable to parse JSON bytes array: attempt to access JSON non-string as string"),
    ],
    [
      "too few strings",
      "echo_bytes",
      echo("BYTES", [1, 3], ["a", "b"]),
      400,
      error(`${id}expected 3 string elements for inference input 'INPUT' for model 'echo_bytes', got 2`),
    ],
    [
      "too many strings",
      "echo_bytes",
      echo("BYTES", [1, 1], ["a", "b"]),
      400,
      error(
        `${id}unexpected number of string elements 2 for inference input 'INPUT' for model 'echo_bytes', expecting 1`,
      ),
    ],
    [
      "empty tensor",
      "echo_int32",
      echo("INT32", [0, 3], []),
      200,
      '{"model_name":"echo_int32","model_version":"1","outputs":[{"name":"OUTPUT","datatype":"INT32","shape":[0,3],"data":[]}]}',
    ],
    [
      "null parameter",
      "add",
      add({}, { parameters: { p: null } }),
      400,
      error("parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'."),
    ],
    [
      "triton_ parameter",
      "add",
      add({}, { parameters: { triton_x: 1 } }),
      400,
      error(
        "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
      ),
    ],
    [
      "parameters is not an object",
      "add",
      add({}, { parameters: 1 }),
      500,
      error("failed to get request params.: attempt to get members for non-object"),
    ],
    [
      "priority is text",
      "add",
      add({}, { parameters: { priority: "high" } }),
      500,
      error("Unable to parse 'priority': attempt to access JSON non-unsigned-integer as unsigned-integer"),
    ],
    [
      "sequence_id is a bool",
      "add",
      add({}, { parameters: { sequence_id: true } }),
      500,
      error("Unable to parse 'sequence_id': attempt to access JSON non-string as string"),
    ],
    [
      "classification 0 is off",
      "add",
      add({}, { outputs: [{ name: "OUTPUT", parameters: { classification: 0 } }] }),
      200,
      sum,
    ],
    [
      "shared memory",
      "add",
      add({ ...unset, parameters: { shared_memory_region: "q" } }),
      404,
      error("Unable to find shared memory region: 'q'"),
    ],
    [
      "model fails",
      "failing",
      JSON.stringify({ inputs: [{ name: "INPUT", datatype: "INT32", shape: [1, 2], data: [1, 2] }] }),
      500,
      error("in ensemble 'failing', boom"),
    ],
    [
      "our bug",
      "broken",
      JSON.stringify({ inputs: [{ name: "INPUT", datatype: "INT32", shape: [1, 2], data: [1, 2] }] }),
      500,
      error("x is undefined"),
    ],
  ])("%s", async (name, model, body, status, expected) => {
    const reply = await call(infer(model), { body });
    expect([reply.status, reply.body.toString()]).toEqual([status, expected]);
    expect(reply.headers["content-type"]).toBe(
      ["unknown model", "an FP16 answer in JSON", "model fails", "our bug"].includes(name)
        ? "text/plain"
        : "application/json",
    );
  });

  it("reports internal failures that no request caused", () => {
    expect(internal.map(String)).toContain("TypeError: x is undefined");
  });

  it.each(["application/json", "application/octet-stream", "text/plain", "nonsense"])(
    "accepts Content-Type %s",
    async (type) => {
      expect((await call(infer("add"), { body: add({}), headers: { "Content-Type": type } })).status).toBe(
        200,
      );
    },
  );
});
