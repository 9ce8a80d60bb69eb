import { afterAll, describe, expect, it } from "vitest";
import { error, infer, type Reply, serveTest } from "./test-server.fixture.ts";

const { server, call } = await serveTest();
afterAll(() => server.close());

describe("binary data", () => {
  const binary = (size: number, rest: object = {}): object => ({
    name: "INPUT",
    datatype: "INT32",
    shape: [1, 2],
    parameters: { binary_data_size: size },
    ...rest,
  });
  const post = (model: string, json: object, data: Uint8Array, headerLength?: string): Promise<Reply> => {
    const text = Buffer.from(JSON.stringify(json));
    const headers = { "Inference-Header-Content-Length": headerLength ?? String(text.byteLength) };
    return call(infer(model), { body: Buffer.concat([text, data]), headers });
  };
  const eight = new Uint8Array([1, 0, 0, 0, 2, 0, 0, 0]);

  it.each<[string, object]>([
    ["output parameter", { outputs: [{ name: "OUTPUT", parameters: { binary_data: true } }] }],
    ["request parameter", { parameters: { binary_data_output: true } }],
  ])("binary data is sent and received: %s", async (_, wish) => {
    const reply = await post("echo_int32", { inputs: [binary(8)], ...wish }, eight);
    const json =
      '{"model_name":"echo_int32","model_version":"1","outputs":[{"name":"OUTPUT","datatype":"INT32","shape":[1,2],"parameters":{"binary_data_size":8}}]}';
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toBe("application/octet-stream");
    expect(reply.headers["inference-header-content-length"]).toBe(String(json.length));
    expect(reply.body).toEqual(Buffer.concat([Buffer.from(json), eight]));
  });

  it("requested outputs are JSON unless each is marked as binary, regardless of the request's setting", async () => {
    const wish = { parameters: { binary_data_output: true }, outputs: [{ name: "OUTPUT" }] };
    const reply = await post("echo_int32", { inputs: [binary(8)], ...wish }, eight);
    expect(reply.body.toString()).toMatch(/"data":\[1,2\]/);
    expect(reply.headers["inference-header-content-length"]).toBeUndefined();
  });

  const id = "[request id: <id_unknown>] ";
  it.each<[string, string, object, number[], string]>([
    [
      "too short",
      "echo_int32",
      binary(12),
      [1, 2, 3, 4, 5, 6, 7, 8],
      "unexpected size for input 'INPUT', expecting 4 additional bytes for model 'echo_int32'",
    ],
    [
      "too long",
      "echo_int32",
      binary(8),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      "unexpected additional input data for model 'echo_int32'",
    ],
    [
      "a size that does not match the shape",
      "echo_int32",
      binary(8, { shape: [1, 3] }),
      [1, 2, 3, 4, 5, 6, 7, 8],
      `${id}input byte size mismatch for input 'INPUT' for model 'echo_int32'. Expected 12, got 8`,
    ],
    [
      "BYTES without a length",
      "echo_bytes",
      binary(2, { datatype: "BYTES", shape: [1, 1] }),
      [1, 0],
      `${id}incomplete string length indicator for inference input 'INPUT' for model 'echo_bytes', expecting 4 bytes but only 2 bytes available. Please make sure the string length indicator is in one buffer.`,
    ],
    [
      "BYTES cut",
      "echo_bytes",
      binary(5, { datatype: "BYTES", shape: [1, 1] }),
      [9, 0, 0, 0, 65],
      "incomplete string data for inference input 'INPUT', expecting string of length 9 but only 1 bytes available",
    ],
    [
      "too many BYTES elements",
      "echo_bytes",
      binary(8, { datatype: "BYTES", shape: [1, 1] }),
      [0, 0, 0, 0, 0, 0, 0, 0],
      `${id}unexpected number of string elements 2 for inference input 'INPUT' for model 'echo_bytes', expecting 1`,
    ],
    [
      "too few BYTES elements",
      "echo_bytes",
      binary(4, { datatype: "BYTES", shape: [1, 3] }),
      [0, 0, 0, 0],
      `${id}expected 3 string elements for inference input 'INPUT' for model 'echo_bytes', got 1`,
    ],
  ])("%s", async (_, model, input, data, text) => {
    const reply = await post(model, { inputs: [input] }, new Uint8Array(data));
    expect([reply.status, reply.body.toString()]).toEqual([400, error(text)]);
  });

  it.each([
    ["9999", "inference header size should be in range (0, 12), got: 9999"],
    ["-1", "inference header size should be in range (0, 12), got: -1"],
    ["x", "Unable to parse Inference-Header-Content-Length, got: x"],
    [
      "99999999999",
      "Unable to parse Inference-Header-Content-Length, value is out of range [ -2147483648, 2147483647 ], got: 99999999999",
    ],
  ])("header length %s", async (headerLength, text) => {
    const reply = await post("echo_int32", { inputs: 1 }, new Uint8Array(0), headerLength);
    expect([reply.status, reply.body.toString()]).toEqual([400, error(text)]);
  });

  it("header length 0 means a raw request: one variable dim is deduced, and the answer is binary", async () => {
    const headers = { "Inference-Header-Content-Length": "0" };
    const reply = await call(infer("raw_echo"), { body: new Uint8Array([...eight, ...eight]), headers });
    expect(reply.status).toBe(200);
    const length = Number(reply.headers["inference-header-content-length"]);
    expect(JSON.parse(reply.body.subarray(0, length).toString()).outputs[0].shape).toEqual([2, 2]);
    expect([...reply.body.subarray(length)]).toEqual([...eight, ...eight]);
  });

  it("raw BYTES data is one string", async () => {
    const headers = { "Inference-Header-Content-Length": "0" };
    const reply = await call(infer("text_echo"), { body: "abc", headers });
    expect([...reply.body.subarray(-7)]).toEqual([3, 0, 0, 0, 97, 98, 99]);
  });

  it.each([
    [
      "add",
      `${id}Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in 'add' model configuration`,
    ],
    [
      "echo_fp32",
      `${id}The shape of the raw input 'INPUT' can not be deduced because there are more than one variable-sized dimension`,
    ],
    [
      "echo_bytes",
      `${id}The shape of the raw input 'INPUT' can not be deduced because there are more than one variable-sized dimension`,
    ],
  ])("an empty body is also a raw request: %s", async (model, text) => {
    const reply = await call(infer(model), { body: "" });
    expect([reply.status, reply.body.toString()]).toEqual([400, error(text)]);
  });
});
