import { createServer } from "node:http2";
import { foreignError, type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { serveGrpc } from "@tritype/server";
import { afterAll, describe, expect, it } from "vitest";
import { listen } from "../../../test/fixtures/listen.ts";
import {
  adder,
  echoes,
  type MemoryModel,
  memoryRuntime,
  teller,
} from "../../server/src/memory-runtime.fixture.ts";
import { clientCases } from "./client.cases.ts";
import { grpcClient } from "./grpc-client.ts";

/** Ends the calls to `never` when all tests are over, because the server waits for running calls when it stops. */
let over = (): void => {};
const end = new Promise<void>((resolve) => {
  over = resolve;
});
const never: MemoryModel = { ...adder, name: "never", run: () => end.then(() => new Map()) };
/** Their own failures contain the words of a missing server. */
const callers = (["model/failed", "model/unavailable"] as const).map(
  (code): MemoryModel => ({
    ...adder,
    name: code.replace("model/", ""),
    run: () => Promise.reject(foreignError(code, "connect ECONNREFUSED 127.0.0.1:9")),
  }),
);
const server = await serveGrpc(memoryRuntime([adder, ...echoes, never, ...callers, teller]), { port: 0 });
afterAll(async () => {
  over();
  await server.close();
});

clientCases("grpcClient against serveGrpc", {
  open: (options) => grpcClient(server.address, options),
  echo: (dtype) => `echo_${dtype.toLowerCase()}`,
});

describe("grpcClient", () => {
  it("sends and receives 20 MB", async () => {
    const client = grpcClient(server.address);
    const data = new Uint8Array(20_000_000).fill(5);
    const inputs = new Map([["INPUT", { dtype: "INT32", shape: [1, 5_000_000], data } as const]]);
    const outputs = await client.infer({ model: "echo_int32", inputs });
    expect(Buffer.compare(outputs.get("OUTPUT")?.data as Uint8Array, data)).toBe(0);
    await client.close();
  });

  it("gives up after the timeout, which applies to each response of a stream", async () => {
    const client = grpcClient(server.address, { timeoutMs: 50 });
    const inputs = new Map(["INPUT0", "INPUT1"].map((name) => [name, tensorOf("FP32", [1, 2], [1, 2])]));
    const silent = (method: string) => ({
      code: "server/unreachable",
      reason: "server/silent",
      message: `${server.address}/inference.GRPCInferenceService/${method} did not answer within 50 ms`,
    });
    await expect(client.infer({ model: "never", inputs })).rejects.toMatchObject(silent("ModelInfer"));
    const unanswered = client.stream({ model: "never", inputs })[Symbol.asyncIterator]();
    await expect(unanswered.next()).rejects.toMatchObject(silent("ModelStreamInfer"));
    await client.close();
  });

  it("does not count the time that the reader of a stream takes", async () => {
    const client = grpcClient(server.address, { timeoutMs: 500 });
    const inputs = new Map([["ASK", tensorOf("BYTES", [2], ["say one", "say two"])]]);
    let read = 0;
    for await (const _ of client.stream({ model: "teller", inputs })) {
      read++;
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    expect(read).toBe(2);
    await client.close();
  });

  /** The texts of the responses, and the error message if there is one. */
  const told = async (
    asked: readonly string[],
    most = Number.POSITIVE_INFINITY,
  ): Promise<readonly string[]> => {
    const client = grpcClient(server.address);
    const inputs = new Map([["ASK", tensorOf("BYTES", [asked.length], asked)]]);
    const texts: string[] = [];
    try {
      for await (const outputs of client.stream({ model: "teller", inputs })) {
        texts.push(...valuesOf(outputs.get("TEXT") as TensorData).map(String));
        if (texts.length === most) break;
      }
    } catch (error) {
      texts.push((error as Error).message);
    }
    await client.close();
    return texts;
  };

  it("streams responses until the end or an error, or until the reader stops", async () => {
    expect(await told(["say one", "say two"])).toEqual(["one", "two"]);
    expect(await told(["say one", "fail why"])).toEqual(["one", "why"]);
    expect(await told(["repeat 100000"], 2)).toEqual(["0", "1"]);
  });

  it("cancels an aborted request, whether or not it had already been sent", async () => {
    const client = grpcClient(server.address);
    const inputs = new Map(["INPUT0", "INPUT1"].map((name) => [name, tensorOf("FP32", [1, 2], [1, 2])]));
    const abort = new AbortController();
    const call = client.infer({ model: "never", inputs }, abort.signal);
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "request/cancelled" });
    const late = client.infer({ model: "never", inputs }, AbortSignal.abort());
    await expect(late).rejects.toMatchObject({ code: "request/cancelled" });
    const asks = new Map([["ASK", tensorOf("BYTES", [1], ["say one"])]]);
    const stream = client.stream({ model: "teller", inputs: asks }, AbortSignal.abort());
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "request/cancelled" });
    await client.close();
  });

  it("passes on errors that do not come from the server", async () => {
    const client = grpcClient(server.address);
    const inputs = new Map([["ASK", undefined as unknown as TensorData]]);
    const stream = client.stream({ model: "teller", inputs });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(TypeError);
    await client.close();
  });

  it("reports that no server answers", async () => {
    const gone = await serveGrpc(memoryRuntime([]), { port: 0 });
    await gone.close();
    const client = grpcClient(gone.address);
    expect(await client.live()).toBe(false);
    await expect(client.serverMetadata()).rejects.toMatchObject({
      code: "server/unreachable",
      message: expect.stringContaining(`no server answers at ${gone.address}`),
    });
    await client.close();
  });

  it("reports that the connection ended before the answer", async () => {
    const ending = createServer().on("stream", (stream) => stream.session?.destroy());
    const client = grpcClient(`127.0.0.1:${await listen(ending)}`);
    await expect(client.serverMetadata()).rejects.toMatchObject({ code: "server/unreachable" });
    expect(await client.ready()).toBe(false);
    await client.close();
    ending.close();
  });

  it.each(["failed", "unavailable"])("reports a model's own failure to connect as %s", async (model) => {
    const client = grpcClient(server.address);
    const inputs = new Map(["INPUT0", "INPUT1"].map((name) => [name, tensorOf("FP32", [1, 2], [1, 2])]));
    await expect(client.infer({ model, inputs })).rejects.toMatchObject({
      code: `model/${model}`,
      message: expect.stringContaining("connect ECONNREFUSED"),
    });
    await client.close();
  });
});
