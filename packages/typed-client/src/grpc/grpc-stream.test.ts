import { Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js";
import { grpcMethod } from "@tritype/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { bind } from "./bind.fixture.ts";
import type { StreamingClient } from "../client.ts";
import type { Contract, Tensor } from "../contract.ts";
import { createGrpcClient } from "./create-grpc-client.ts";

type Outputs = Record<string, Tensor>;
const contract: Contract<Record<string, unknown>, Outputs, true> = {
  name: "m",
  streams: true,
  inputs: { x: { dtype: "INT32", dims: ["batch", 1] } },
  outputs: { y: { dtype: "INT32", dims: ["batch", 1] } },
};
const { request, response } = grpcMethod("ModelStreamInfer");
type Call = ServerDuplexStream<Uint8Array, Uint8Array>;

const part = (y: number, last = false): Uint8Array =>
  response.encode({
    infer_response: {
      model_name: "m",
      parameters: { triton_final_response: { bool_param: last } },
      outputs: [{ name: "y", datatype: "INT32", shape: [1, 1] }],
      raw_output_contents: [Uint8Array.of(y, 0, 0, 0)],
    },
  });

/**
 * A server that answers streams with these answers in turn and repeats the last one, and the requests that it received.
 */
const serve = async (...ways: readonly ((call: Call, server: Server) => void)[]) => {
  const asked = { requests: [] as Record<string, unknown>[], cancelled: 0 };
  const server = new Server();
  const raw = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  const definition = {
    path: "/inference.GRPCInferenceService/ModelStreamInfer",
    requestStream: true,
    responseStream: true,
    requestSerialize: raw,
    requestDeserialize: (bytes: Buffer): Uint8Array => bytes,
    responseSerialize: raw,
    responseDeserialize: (bytes: Buffer): Uint8Array => bytes,
  } as const;
  server.addService(
    { ModelStreamInfer: definition },
    {
      ModelStreamInfer: (call: Call) => {
        call.on("error", () => {});
        call.once("cancelled", () => asked.cancelled++);
        call.once("data", (bytes: Uint8Array) => {
          asked.requests.push(request.decode(bytes) as Record<string, unknown>);
          (ways[asked.requests.length - 1] ?? ways.at(-1))?.(call, server);
        });
      },
    },
  );
  const port = await bind(server, "127.0.0.1:0", ServerCredentials.createInsecure());
  const client: StreamingClient<Record<string, unknown>, Outputs> = createGrpcClient({
    address: `127.0.0.1:${port}`,
    ensemble: contract,
    backoff: () => 0,
    checkContract: false,
  });
  onTestFinished(() => {
    client.close();
    server.forceShutdown();
  });
  const all = async () => {
    const got: unknown[] = [];
    try {
      for await (const { y } of client.stream({ x: [1] })) got.push(...(y?.data as Int32Array));
    } catch (error) {
      return { got, error };
    }
    return { got };
  };
  return { client, all, asked };
};
const fail = (call: Call, code: status, details: string): void => void call.emit("error", { code, details });

describe("a stream over gRPC", () => {
  it("a stream is one request, and ends with the final response", async () => {
    const { all, asked } = await serve((call) =>
      [part(1), part(2, true), part(3)].forEach((one) => call.write(one)),
    );
    expect(await all()).toEqual({ got: [1, 2] });
    expect(asked.requests).toMatchObject([
      { model_name: "m", parameters: { triton_enable_empty_final_response: { bool_param: true } } },
    ]);
  });

  it("a stream is lost if the server ends it before the final response", async () => {
    const { all, asked } = await serve((call) => {
      call.write(part(1));
      call.end();
    });
    expect(await all()).toMatchObject({
      got: [1],
      error: { kind: "lost", mayHaveRun: true, message: expect.stringContaining("before the last answer") },
    });
    expect(asked.requests).toHaveLength(1);
  });

  it("a stream is lost with its connection, and is not retried", async () => {
    const { all, asked } = await serve((call, server) => {
      call.write(part(1));
      setTimeout(() => server.forceShutdown(), 100);
    });
    expect(await all()).toMatchObject({ got: [1], error: { kind: "lost", mayHaveRun: true } });
    expect(asked.requests).toHaveLength(1);
  });

  it("a stream is retried only if it was refused before it ran", async () => {
    const busy = await serve(
      (call) => fail(call, status.RESOURCE_EXHAUSTED, "busy"),
      (call) => call.write(part(2, true)),
    );
    expect(await busy.all()).toEqual({ got: [2] });
    expect(busy.asked.requests).toHaveLength(2);
    const late = await serve((call) => {
      call.write(part(1));
      setTimeout(() => fail(call, status.RESOURCE_EXHAUSTED, "busy"), 20);
    });
    expect(await late.all()).toMatchObject({
      got: [1],
      error: { kind: "refused", status: "RESOURCE_EXHAUSTED", mayHaveRun: true },
    });
    expect(late.asked.requests).toHaveLength(1);
  });

  it.each<[string, string | undefined, boolean]>([
    [
      "[request id: 7] unexpected shape for input 'x' for model 'm'. Expected [-1,2], got [1,3]. ",
      "INVALID_ARGUMENT",
      false,
    ],
    ["Request for unknown model: 'm' is not found", "NOT_FOUND", false],
    ["Request for unknown model: 'm' version 3 is not at ready state", "UNAVAILABLE", false],
    ["[request id: 7] Exceeds maximum queue size", "UNAVAILABLE", false],
    ["in ensemble 'm', in ensemble 'n', Exceeds maximum queue size", "UNAVAILABLE", true],
    ["in ensemble 'm', unexpected shape for input 'x' for model 'n'", "INVALID_ARGUMENT", true],
    ["the model's own message", undefined, true],
  ])("an error in a stream, `%s`, has the status %s, as for one answer", async (text, name, mayHaveRun) => {
    const { all } = await serve((call) => call.write(response.encode({ error_message: text })));
    expect(await all()).toMatchObject({ error: { kind: "refused", status: name, mayHaveRun } });
  });

  it("a request that waited too long in a queue is a deadline, and a busy server is asked again", async () => {
    const late = await serve((call) =>
      call.write(response.encode({ error_message: "Request timeout expired" })),
    );
    expect(await late.all()).toMatchObject({ error: { kind: "deadline", mayHaveRun: false } });
    const busy = await serve(
      (call) => call.write(response.encode({ error_message: "Exceeds maximum queue size" })),
      (call) => call.write(part(2, true)),
    );
    expect(await busy.all()).toEqual({ got: [2] });
  });

  it("a stream is malformed if its bytes are not a message", async () => {
    const { all } = await serve((call) => call.write(Uint8Array.of(10, 99, 1)));
    expect(await all()).toMatchObject({ error: { kind: "malformed", mayHaveRun: true } });
  });

  it("a stream reads only as fast as its reader, and cancels the call when the reader stops", async () => {
    let written = 0;
    const big = response.encode({
      infer_response: {
        model_name: "m",
        outputs: [{ name: "y", datatype: "INT32", shape: [25_000, 1] }],
        raw_output_contents: [new Uint8Array(100_000)],
      },
    });
    const { client, asked } = await serve((call) => {
      const more = (): void => {
        if (call.cancelled) return;
        do written++;
        while (call.write(big));
        call.once("drain", more);
      };
      more();
    });
    const answers = client.stream({ x: [1] });
    for (let n = 0; n < 3; n++) await answers.next();
    let before = -1;
    await expect
      .poll(() => [before, (before = written)], { interval: 300 })
      .toSatisfy(([a = 0, b = 0]: number[]) => a === b);
    expect(written * 100_000).toBeLessThan(40e6);
    const stuck = written;
    for (let n = 0; n < stuck + 20; n++) await answers.next();
    expect(written).toBeGreaterThan(stuck);
    await answers.return();
    await expect.poll(() => asked.cancelled).toBe(1);
  });
});
