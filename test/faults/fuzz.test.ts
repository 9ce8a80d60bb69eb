import { Agent } from "node:http";
import { join } from "node:path";
import { Client, credentials } from "@grpc/grpc-js";
import { tensorOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { type TemporaryFolder, temporaryFolder } from "../triton/judge.ts";
import { onnxJudgedModels } from "../triton/judged-models.ts";
import { sendRaw } from "../triton/raw-request.ts";
import { createMutator } from "./mutate-bytes.ts";

/** `TRITYPE_LOAD=long`: 10,000 bodies and 10,000 messages. */
const [batches, perBatch] = [process.env["TRITYPE_LOAD"] === "long" ? 40 : 6, 250];
const internal: unknown[] = [];
const onInternalError = (error: unknown): void => void internal.push(error);
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

let folder: TemporaryFolder;
let runtime: Runtime;
let http: HttpServer;
let grpc: GrpcServer;
let client: Client;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  writeFiles(repository, onnxJudgedModels());
  runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
  http = await serveHttp(runtime, { port: 0, maxBodyBytes: 100_000, onInternalError });
  grpc = await serveGrpc(runtime, { port: 0, onInternalError });
  client = new Client(grpc.address, credentials.createInsecure());
}, 60_000);
afterAll(async () => {
  agent.destroy();
  client?.close();
  await Promise.all([http?.close(), grpc?.close()]);
  await runtime?.close();
  await folder.remove();
});

interface Seed {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
const infer = (model: string): string => `/v2/models/${model}/infer`;
const json = (path: string, body: object): Seed => ({
  path,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
});
const x = (datatype: string, shape: readonly number[], data: readonly unknown[]): object => ({
  inputs: [{ name: "X", datatype, shape, data }],
});
const pair = ["A", "B"].map((name) => ({ name, datatype: "FP32", shape: [1, 2], data: [1, 2] }));
const sum = {
  id: "x",
  parameters: { p: 1, timeout: 5 },
  inputs: pair,
  outputs: [{ name: "SUM", parameters: { classification: 1 } }, { name: "DIFF" }],
};
const binary = (datatype: string, size: number, data: Uint8Array): Seed => {
  const head = Buffer.from(
    JSON.stringify({
      id: "f",
      inputs: [{ name: "X", datatype, shape: [1, 2], parameters: { binary_data_size: size } }],
      outputs: [{ name: "Y", parameters: { binary_data: true } }],
    }),
  );
  return {
    path: infer(`echo_${datatype.toLowerCase()}`),
    headers: { "Inference-Header-Content-Length": String(head.length) },
    body: Buffer.concat([head, data]),
  };
};
const httpSeeds: readonly Seed[] = [
  json(infer("sum"), sum),
  json(infer("sum_twice"), { inputs: pair, parameters: { sequence_id: 5, binary_data_output: true } }),
  json(infer("batched"), { ...x("INT32", [1, 1], [1]), parameters: { priority: 1 } }),
  json(infer("echo_int64"), x("INT64", [1, 2], [2 ** 62, -1])),
  json(infer("echo_bytes"), x("BYTES", [1, 2], ["ä", "\ud83d\ude00"])),
  json(infer("echo_fp64"), x("FP64", [2, 1], [[1e300], [-0.5]])),
  json("/v2/repository/index", { ready: true }),
  json("/v2/repository/models/sum/load", { parameters: { config: "{}" } }),
  binary("INT32", 8, Buffer.from([1, 0, 0, 0, 2, 0, 0, 0])),
  binary("BYTES", 11, Buffer.from([1, 0, 0, 0, 65, 2, 0, 0, 0, 66, 67])),
  { path: infer("raw"), headers: { "Inference-Header-Content-Length": "0" }, body: Buffer.alloc(16, 1) },
];

test("thousands of HTTP bodies: each gets an answer of the expected kind, and so does a valid request after every 250", async () => {
  const { pick, number, mutate } = createMutator(20_241_022);
  const good = await sendRaw(http.url, json(infer("sum"), sum), agent);
  for (let batch = 0; batch < batches; batch++) {
    const calls = Array.from({ length: perBatch }, async () => {
      const seed = pick(httpSeeds);
      const body = mutate(seed.body, pick(httpSeeds).body);
      const length = number(4) === 0 ? { "Inference-Header-Content-Length": String(number(200) - 20) } : {};
      const encoding = number(16) === 0 ? { "Content-Encoding": pick(["gzip", "deflate", "br", ""]) } : {};
      const headers = { ...seed.headers, ...length, ...encoding };
      const reply = await sendRaw(http.url, { method: "POST", path: seed.path, body, headers }, agent);
      expect([200, 400, 404, 500, 501, 503]).toContain(reply.status);
      if (reply.status !== 200)
        expect(typeof (JSON.parse(reply.body.toString()) as { error: unknown }).error).toBe("string");
    });
    await Promise.all(calls);
    const again = await sendRaw(http.url, json(infer("sum"), sum), agent);
    expect([again.status, again.body]).toEqual([200, good.body]);
  }
  expect(internal).toEqual([]);
}, 60_000);

const tensors = (dtype: "FP32" | "BYTES" | "INT32", ...names: readonly string[]) =>
  new Map(names.map((name) => [name, tensorOf(dtype, [1, 2], dtype === "BYTES" ? ["a", "ü"] : [1, 2])]));
const inferMethod = grpcMethod("ModelInfer");
const goodMessage = inferMethod.request.encode(
  grpcInferRequest({ model: "sum", id: "g", inputs: tensors("FP32", "A", "B") }),
);
const grpcSeeds: readonly (readonly [method: string, message: Uint8Array])[] = [
  ["ModelInfer", goodMessage],
  [
    "ModelInfer",
    inferMethod.request.encode(
      grpcInferRequest({
        model: "echo_bytes",
        id: "",
        inputs: tensors("BYTES", "X"),
        parameters: { timeout: 5, mine: "x", share: 0.5 },
        outputs: ["Y"],
      }),
    ),
  ],
  [
    "ModelInfer",
    inferMethod.request.encode({
      model_name: "echo_int32",
      inputs: [{ name: "X", datatype: "INT32", shape: [1, 2], contents: { int_contents: [1, -2] } }],
    }),
  ],
  ["ModelMetadata", grpcMethod("ModelMetadata").request.encode({ name: "sum", version: "1" })],
  ["ModelConfig", grpcMethod("ModelConfig").request.encode({ name: "sum", version: "1" })],
  ["RepositoryIndex", grpcMethod("RepositoryIndex").request.encode({ ready: true })],
  ["ModelReady", grpcMethod("ModelReady").request.encode({ name: "sum" })],
];

/** The status and the bytes of an answer. */
const call = (method: string, message: Uint8Array): Promise<readonly [number, Uint8Array]> =>
  new Promise((resolve) => {
    client.makeUnaryRequest(
      grpcMethod(method).path,
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer) => bytes,
      message,
      { deadline: Date.now() + 20_000 },
      (error, answer) => resolve([error?.code ?? 0, answer ?? Buffer.alloc(0)]),
    );
  });

test("thousands of gRPC messages: each gets one of Triton's statuses, and a valid one is answered after every 250", async () => {
  const { pick, mutate } = createMutator(2_510_000);
  const [, good] = await call("ModelInfer", goodMessage);
  for (let batch = 0; batch < batches; batch++) {
    const answers = await Promise.all(
      Array.from({ length: perBatch }, () => {
        const [method, message] = pick(grpcSeeds);
        return call(method, mutate(message, pick(grpcSeeds)[1]));
      }),
    );
    for (const [code] of answers) expect([0, 3, 5, 12, 13, 14]).toContain(code);
    expect(await call("ModelInfer", goodMessage)).toEqual([0, good]);
  }
  expect(internal).toEqual([]);
}, 60_000);
