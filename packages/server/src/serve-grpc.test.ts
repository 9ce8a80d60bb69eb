import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { PipelineError, tensorOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { expect, onTestFinished, test } from "vitest";
import { adder, memoryRuntime, rawEcho, textEcho } from "./memory-runtime.fixture.ts";
import { serveGrpc } from "./serve-grpc.ts";

const opened = async () => {
  const runtime = memoryRuntime([adder, rawEcho, textEcho]);
  const server = await serveGrpc(runtime, { port: 0 });
  const client = new Client(server.address, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  return { client, server, runtime };
};

type Answer = { readonly [key: string]: unknown };
const codecOf = (name: string) => {
  const { path, request, response } = grpcMethod(name);
  return {
    path,
    encode: (message: object) => Buffer.from(request.encode(message)),
    decode: (bytes: Buffer) => response.decode(bytes) as Answer,
  };
};
const call = (client: Client, name: string, message: object): Promise<Answer> => {
  const { path, encode, decode } = codecOf(name);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, encode, decode, message, (error, answer) =>
      error === null ? resolve(answer as Answer) : reject(error),
    );
  });
};
const sum = (id: string, ...values: readonly number[]) =>
  grpcInferRequest({
    model: "add",
    id,
    inputs: new Map([
      ["INPUT0", tensorOf("FP32", [1, 2], values)],
      ["INPUT1", tensorOf("FP32", [1, 2], values)],
    ]),
  });
const floatsOf = (answer: Answer): readonly number[] => {
  const [raw = new Uint8Array()] = answer["raw_output_contents"] as readonly Uint8Array[];
  return [...new Float32Array(new Uint8Array(raw).buffer)];
};

test("answers health, metadata, configuration, index and inference requests", async () => {
  const { client } = await opened();
  expect(await call(client, "ServerLive", {})).toEqual({ live: true });
  expect(await call(client, "ServerReady", {})).toEqual({ ready: true });
  expect(await call(client, "ModelReady", { name: "add" })).toEqual({ ready: true });
  expect(await call(client, "ModelReady", { name: "none" })).toEqual({ ready: false });
  expect(await call(client, "ServerMetadata", {})).toMatchObject({ name: "tritype" });
  expect(await call(client, "ModelMetadata", { name: "add", version: "1" })).toMatchObject({
    name: "add",
    inputs: [{ name: "INPUT0", datatype: "FP32", shape: ["-1", "2"] }, { name: "INPUT1" }],
  });
  expect(await call(client, "ModelConfig", { name: "add" })).toMatchObject({
    config: { name: "add", max_batch_size: 4 },
  });
  expect(await call(client, "RepositoryIndex", {})).toMatchObject({
    models: [{ name: "add", version: "1", state: "READY" }, { name: "raw_echo" }, { name: "text_echo" }],
  });
  const answer = await call(client, "ModelInfer", sum("a", 1, 2));
  expect(answer).toMatchObject({ model_name: "add", model_version: "1", id: "a" });
  expect(floatsOf(answer)).toEqual([2, 4]);
});

test.each([
  ["ModelInfer", { model_name: "none" }, "5 NOT_FOUND: Request for unknown model: 'none' is not found"],
  [
    "ModelInfer",
    { model_name: "add", model_version: "x" },
    "3 INVALID_ARGUMENT: failed to get model version from specified version string 'x' (details: stol), version should be an integral value > 0",
  ],
  ["ModelMetadata", { name: "none" }, "5 NOT_FOUND: Request for unknown model: 'none' is not found"],
  ["SystemSharedMemoryStatus", { name: "r" }, "5 NOT_FOUND: Unable to find system shared memory region: 'r'"],
])("%s of %o fails as in Triton", async (method, message, text) => {
  const { client } = await opened();
  await expect(call(client, method, message)).rejects.toThrow(text);
});

test.each([
  ["emoji", `a${"😀".repeat(2000)}`],
  ["Chinese letters", "模型".repeat(2000)],
])("a failure that quotes a long text of %s ends only its call, with a short text", async (_, name) => {
  const { client } = await opened();
  const failure: unknown = await call(client, "ModelMetadata", { name }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 5, details: expect.stringContaining(`'${name.slice(0, 101)}`) });
  expect(encodeURI((failure as Error).message).length).toBeLessThan(6300);
  expect(await call(client, "ServerLive", {})).toEqual({ live: true });
});

test("sends and receives a message of 64 MB", async () => {
  const { client } = await opened();
  const data = new Uint8Array(new Int32Array(16_000_000).fill(7).buffer);
  const INPUT = { dtype: "INT32", shape: [8_000_000, 2], data } as const;
  const message = grpcInferRequest({ model: "raw_echo", id: "", inputs: new Map([["INPUT", INPUT]]) });
  const answer = await call(client, "ModelInfer", message);
  expect((answer["raw_output_contents"] as readonly Uint8Array[])[0]?.byteLength).toBe(64_000_000);
});

test("a stream answers every request and reports errors in the stream", async () => {
  const { client } = await opened();
  const { path, encode, decode } = codecOf("ModelStreamInfer");
  const stream = client.makeBidiStreamRequest(path, encode, decode);
  const answers: Answer[] = [];
  stream.on("data", (answer: Answer) => answers.push(answer));
  const ended = new Promise((resolve) => stream.on("end", resolve));
  stream.write(sum("a", 1, 2));
  stream.write({ model_name: "none", id: "b" });
  stream.write(sum("c", 3, 4));
  stream.end();
  await ended;
  const byId = new Map(
    answers.map((answer) => [(answer["infer_response"] as { readonly id: string }).id, answer]),
  );
  expect(byId.get("a")).toMatchObject({
    error_message: "",
    infer_response: { parameters: { triton_final_response: { bool_param: true } } },
  });
  expect(byId.get("b")).toMatchObject({ error_message: "Request for unknown model: 'none' is not found" });
  expect(floatsOf(byId.get("c")?.["infer_response"] as Answer)).toEqual([6, 8]);
});

test.each([
  ["true", ["a"], "13 INTERNAL: no sum"],
  ["True", ["a", "b"], "OK"],
])("with the header triton_grpc_error: %s, a stream ends as in Triton", async (value, answered, end) => {
  let runs = 0;
  const failsLater = {
    ...adder,
    run: (inputs: Parameters<typeof adder.run>[0]) => {
      if (runs++ > 0) throw new PipelineError("model/failed", "no sum");
      return adder.run(inputs);
    },
  };
  const server = await serveGrpc(memoryRuntime([failsLater]), { port: 0 });
  const client = new Client(server.address, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  const { path, encode, decode } = codecOf("ModelStreamInfer");
  const metadata = new Metadata();
  metadata.set("triton_grpc_error", value);
  const stream = client.makeBidiStreamRequest(path, encode, decode, metadata);
  const ids: string[] = [];
  const ended = new Promise<string>((resolve) => {
    stream.on("error", ({ message }) => resolve(message));
    stream.on("end", () => resolve("OK"));
  });
  stream.on("data", (answer: Answer) => {
    ids.push((answer["infer_response"] as { readonly id: string }).id);
    if (ids.length > 1) return;
    stream.write(sum("b", 1, 2));
    stream.end();
  });
  stream.write(sum("a", 1, 2));
  expect([await ended, ids]).toEqual([end, answered]);
});

test("answers the standard health service", async () => {
  const { client } = await opened();
  const status = await new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      "/grpc.health.v1.Health/Check",
      (message: Buffer) => message,
      (bytes: Buffer) => bytes,
      Buffer.alloc(0),
      (error, answer) => (error === null ? resolve(answer) : reject(error)),
    );
  });
  expect(status).toEqual(Buffer.from([8, 1]));
});

test("reports a port that is already in use", async () => {
  const { server, runtime } = await opened();
  await expect(serveGrpc(runtime, { port: server.port })).rejects.toMatchObject({ code: "port/in-use" });
});

test("close answers running requests and does not wait for open streams", async () => {
  let finish = (): void => {};
  let begin = (): void => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const slow = {
    ...adder,
    run: async (inputs: Parameters<typeof adder.run>[0]) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
        begin();
      });
      return adder.run(inputs);
    },
  };
  const server = await serveGrpc(memoryRuntime([slow]), { port: 0 });
  const client = new Client(server.address, credentials.createInsecure());
  const { path, encode, decode } = codecOf("ModelStreamInfer");
  const stream = client.makeBidiStreamRequest(path, encode, decode);
  stream.on("data", () => {});
  stream.on("error", () => {});
  const answer = call(client, "ModelInfer", sum("a", 1, 2));
  await began;
  const closing = server.close();
  finish();
  expect(floatsOf(await answer)).toEqual([2, 4]);
  await closing;
  client.close();
});
