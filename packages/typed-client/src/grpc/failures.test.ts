import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:http2";
import { createServer as createTcpServer } from "node:net";
import {
  Server,
  ServerCredentials,
  type ServerOptions,
  type sendUnaryData,
  type ServerUnaryCall,
  status,
} from "@grpc/grpc-js";
import { grpcMethod } from "@tritype/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { bind } from "./bind.fixture.ts";
import { listen } from "../../../../test/fixtures/listen.ts";
import type { Contract, Tensor } from "../contract.ts";
import { createGrpcClient, type GrpcOptions } from "./create-grpc-client.ts";

const contract: Contract<Record<string, unknown>, Record<string, Tensor>> = {
  name: "m",
  inputs: { x: { dtype: "INT32", dims: ["batch", 2] } },
  outputs: { y: { dtype: "INT32", dims: ["batch", 2] } },
};
const x = { x: [[1, 2]] };
const right = grpcMethod("ModelInfer").response.encode({
  model_name: "m",
  outputs: [{ name: "y", datatype: "INT32", shape: [1, 2] }],
  raw_output_contents: [Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0)],
});

type Answer = (
  reply: sendUnaryData<Uint8Array>,
  server: Server,
  call: ServerUnaryCall<Uint8Array, Uint8Array>,
) => void;
const refuse =
  (code: status, details: string): Answer =>
  (reply) =>
    reply({ code, details });
const answer: Answer = (reply) => reply(null, right);
const never: Answer = () => undefined;

/** A gRPC server that sends these answers in turn and repeats the last one forever. */
const serve = async (...infer: readonly Answer[]) => serveLimited({}, ...infer);
const serveLimited = async (options: ServerOptions, ...infer: readonly Answer[]) => {
  const asked = { infer: 0, cancelled: 0, headers: {} as Record<string, unknown> };
  const server = new Server(options);
  const raw = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  const method = (name: string) => ({
    path: `/inference.GRPCInferenceService/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: raw,
    requestDeserialize: (bytes: Buffer): Uint8Array => bytes,
    responseSerialize: raw,
    responseDeserialize: (bytes: Buffer): Uint8Array => bytes,
  });
  server.addService(
    { ModelInfer: method("ModelInfer") },
    {
      ModelInfer: (call: ServerUnaryCall<Uint8Array, Uint8Array>, reply: sendUnaryData<Uint8Array>) => {
        asked.headers = call.metadata.getMap();
        call.once("cancelled", () => asked.cancelled++);
        (infer[asked.infer++] ?? infer.at(-1))?.(reply, server, call);
      },
    },
  );
  const port = await bind(server, "127.0.0.1:0", ServerCredentials.createInsecure());
  onTestFinished(() => server.forceShutdown());
  return { address: `127.0.0.1:${port}`, asked, server };
};
const open = (address: string, options: Partial<GrpcOptions> = {}) => {
  const client = createGrpcClient({
    address,
    ensemble: contract,
    backoff: () => 0,
    checkContract: false,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
};

describe("a call over gRPC that fails", () => {
  it("unreachable: no server listens", async () => {
    const { address, server } = await serve(answer);
    server.forceShutdown();
    const client = open(address, { retries: 1 });
    await expect(client.infer(x)).rejects.toMatchObject({
      kind: "unreachable",
      mayHaveRun: false,
      message: expect.stringMatching(
        new RegExp(`^no server answers at ${address}: No connection established`),
      ),
    });
    expect(await client.ready()).toBe(false);
  });

  it("lost: the server disappears during the request; an inference is not sent twice", async () => {
    const { address, asked } = await serve((_, server) => server.forceShutdown());
    await expect(open(address).infer(x, { deadlineMs: 20_000 })).rejects.toMatchObject({
      kind: "lost",
      mayHaveRun: true,
    });
    expect(asked.infer).toBe(1);
  });

  it("lost: the connection ends during the answer", async () => {
    let streams = 0;
    const server = createServer().on("stream", (stream) => {
      streams++;
      stream.session?.destroy();
    });
    onTestFinished(() => void server.close());
    const client = open(`127.0.0.1:${await listen(server)}`);
    await expect(client.infer(x, { deadlineMs: 20_000 })).rejects.toMatchObject({
      kind: "lost",
      mayHaveRun: true,
    });
    expect(streams).toBe(1);
  });

  it("refused: the server's message and status", async () => {
    const { address } = await serve(refuse(status.INVALID_ARGUMENT, "[request id: 7] no"));
    await expect(open(address).infer(x)).rejects.toMatchObject({
      kind: "refused",
      status: "INVALID_ARGUMENT",
      message: "ModelInfer answers INVALID_ARGUMENT: [request id: 7] no",
    });
  });

  it.each([
    [status.INTERNAL, "the Socket of the camera is closed"],
    [status.INTERNAL, "read ECONNRESET"],
    [status.UNAVAILABLE, "Connection dropped by the database"],
    [status.UNAVAILABLE, "connect ECONNREFUSED 10.0.0.1:5432"],
  ])(
    "refused: a model's own error with status %i, %s, is not about the connection",
    async (code, details) => {
      const { address } = await serve(refuse(code, details));
      await expect(open(address, { retries: 0 }).infer(x)).rejects.toMatchObject({
        kind: "refused",
        status: status[code],
        message: `ModelInfer answers ${status[code]}: ${details}`,
      });
    },
  );

  it("lost: the server resets the request", async () => {
    const server = createServer().on("stream", (stream) => stream.on("error", () => {}).close(2));
    onTestFinished(() => void server.close());
    const client = open(`127.0.0.1:${await listen(server)}`);
    await expect(client.infer(x, { deadlineMs: 20_000 })).rejects.toMatchObject({
      kind: "lost",
      mayHaveRun: true,
    });
  });

  it("malformed: an invalid answer", async () => {
    const { address } = await serve((reply) => reply(null, Uint8Array.of(0x2a, 9, 1)));
    await expect(open(address).infer(x)).rejects.toMatchObject({
      kind: "malformed",
      message: "the server's answer cannot be read: the message ends early",
    });
  });

  it("deadline and cancelled: the server is notified", async () => {
    const { address, asked } = await serve(never);
    const client = open(address);
    const controller = new AbortController();
    const call = client.infer(x, { signal: controller.signal });
    const cancelled = expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await expect.poll(() => asked.infer).toBe(1);
    controller.abort();
    await cancelled;
    await expect.poll(() => asked.cancelled).toBe(1);
    // Uses an open connection: a call whose deadline expires before it is sent does not reach the server.
    await expect(client.infer(x, { deadlineMs: 2000 })).rejects.toMatchObject({ kind: "deadline" });
    await expect.poll(() => asked.cancelled).toBe(2);
  });

  it("a call is retried after UNAVAILABLE from the server, with its headers", async () => {
    const busy = refuse(status.UNAVAILABLE, "Exceeds maximum queue size");
    const { address, asked } = await serve(busy, busy, answer);
    const client = open(address, { headers: () => ({ authorization: "Bearer t" }) });
    expect((await client.infer(x))["y"]?.data).toEqual(Int32Array.of(1, 2));
    expect([asked.infer, asked.headers["authorization"]]).toEqual([3, "Bearer t"]);
    const renewing = open(address, {
      headers: async () => ({ authorization: await Promise.resolve("Bearer u") }),
    });
    await renewing.infer(x);
    expect(asked.headers["authorization"]).toBe("Bearer u");
    const { address: other } = await serve(busy);
    await expect(open(other, { retries: 0 }).infer(x)).rejects.toMatchObject({
      kind: "refused",
      status: "UNAVAILABLE",
    });
  });

  it("a client tries to reach a missing server every second, however long it has been away", async () => {
    let attempts = 0;
    const server = createTcpServer((socket) => {
      attempts++;
      socket.destroy();
    });
    onTestFinished(() => void server.close());
    const client = open(`127.0.0.1:${await listen(server)}`, { retries: 0 });
    // By default, gRPC waits 1 s, 1.6 s, 2.6 s and so on up to 2 minutes, with which there are at most four attempts.
    const attemptsNow = async (): Promise<number> => {
      expect(await client.ready()).toBe(false);
      return attempts;
    };
    await expect.poll(attemptsNow, { timeout: 7000 }).toBe(5);
  }, 20_000);

  it("refused: a request that is too large for the server is not retried", async () => {
    const { address, asked } = await serveLimited({ "grpc.max_receive_message_length": 20 }, answer);
    const waits: number[] = [];
    const client = open(address, { backoff: (retry) => (waits.push(retry), 0) });
    await expect(client.infer(x)).rejects.toMatchObject({
      kind: "refused",
      status: "RESOURCE_EXHAUSTED",
      mayHaveRun: false,
      message: expect.stringMatching(
        /^ModelInfer answers RESOURCE_EXHAUSTED: Received message larger than max \(\d+ vs 20\); for `pipeline dev`, set --grpc-max-message-size$/,
      ),
    });
    expect([asked.infer, waits]).toEqual([0, []]);
  });

  it("malformed: an answer that is larger than `maxAnswerBytes` is not requested again", async () => {
    const { address, asked } = await serve(answer);
    await expect(open(address, { maxAnswerBytes: 10 }).infer(x)).rejects.toMatchObject({
      kind: "malformed",
      mayHaveRun: true,
      message: expect.stringMatching(/larger than max \(\d+ vs 10\) \(`maxAnswerBytes`\)$/),
    });
    expect(asked.infer).toBe(1);
  });

  it("a parameter that is undefined is left out, as over HTTP", async () => {
    const { address, asked } = await serve(answer);
    const parameters = { priority: undefined as never, note: "x" };
    expect((await open(address).infer(x, { parameters }))["y"]?.data).toEqual(Int32Array.of(1, 2));
    expect(asked.infer).toBe(1);
  });

  it("invalid: nothing is sent", async () => {
    const { address, asked } = await serve(answer);
    await expect(open(address).infer(x, { parameters: { priority: {} as never } })).rejects.toMatchObject({
      kind: "invalid",
      message: "parameter `priority` must be text, a number or a boolean, got an object",
    });
    for (const wrong of [`http://${address}`, "", undefined])
      expect(() => open(wrong as string)).toThrow(
        /^address must be like 127\.0\.0\.1:8001, without http:\/\/, got /,
      );
    await expect(open(address, { headers: { "x-a": "é" } }).infer(x)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(/^the header `x-a` cannot be sent: /),
    });
    await expect(open(address).infer(x, { deadlineMs: "100" as never })).rejects.toMatchObject({
      kind: "invalid",
      message: 'deadlineMs must be a number of milliseconds above 0, got "100"',
    });
    const client = open(address);
    client.close();
    await expect(client.infer(x)).rejects.toMatchObject({ kind: "invalid", message: "the client is closed" });
    await expect(client.ready()).rejects.toMatchObject({ kind: "invalid" });
    expect(asked.infer).toBe(0);
  });

  it("unreachable: the address of an HTTP server", async () => {
    const server = createHttpServer();
    onTestFinished(() => void server.close());
    const client = open(`127.0.0.1:${await listen(server)}`, { retries: 0 });
    await expect(client.infer(x)).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/\(this port does not speak gRPC; is it the HTTP port\?\)$/),
    });
  });
});
