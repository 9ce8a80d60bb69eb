import { createServer as createHttp2Server } from "node:http2";
import { createServer } from "node:net";
import { PipelineError, tensorOf } from "@tritype/core";
import { serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../test/cli/free-port.ts";
import { listen } from "../../../test/fixtures/listen.ts";
import { adder, type MemoryModel, memoryRuntime, teller } from "../../server/src/memory-runtime.fixture.ts";
import { machineClock } from "./clock.ts";
import { grpcTarget } from "./grpc-target.ts";
import { httpTarget, type TargetOptions } from "./http-target.ts";
import type { Load } from "./load.ts";
import type { Recording } from "./recorder.ts";
import { runLoad } from "./run-load.ts";
import type { Target } from "./target.ts";

const slow: MemoryModel = {
  ...adder,
  name: "slow",
  run: async (inputs) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return adder.run(inputs);
  },
};
let calls = 0;
/** Every second request fails. */
const faulty: MemoryModel = {
  ...adder,
  name: "faulty",
  run: (inputs) => {
    if (calls++ % 2 === 1) throw new PipelineError("model/unavailable", 'half of "them" 100 %');
    return adder.run(inputs);
  },
};
let over = (): void => {};
const end = new Promise<void>((resolve) => (over = resolve));
const never: MemoryModel = { ...adder, name: "never", run: () => end.then(() => new Map()) };
const runtime = memoryRuntime([adder, slow, faulty, never, teller]);
const http = await serveHttp(runtime, { port: 0 });
const grpc = await serveGrpc(runtime, { port: 0 });
afterAll(async () => {
  over();
  await http.close();
  await grpc.close();
});

const inputs = new Map(["INPUT0", "INPUT1"].map((name) => [name, tensorOf("FP32", [2, 2], [1, 2, 3, 4])]));
const wrong = new Map([["INPUT0", tensorOf("FP32", [1, 2], [1, 2])]]);
const options = (model: string, more: Partial<TargetOptions> = {}): TargetOptions => ({
  model,
  requests: [{ inputs }],
  timeoutMs: 10_000,
  ...more,
});
const measure = (
  target: Target,
  load: Load = { kind: "closed", clients: 4 },
  { seconds = 0.25, drainMs = 5000 } = {},
): Promise<Recording> =>
  runLoad({
    load,
    target,
    clock: machineClock,
    warmMs: 0,
    measureMs: seconds * 1000,
    drainMs,
    seed: 1,
    signal: new AbortController().signal,
  });

describe.each([
  [
    "HTTP",
    (given: TargetOptions) => httpTarget(http.url, given),
    (port: number) => `http://127.0.0.1:${port}`,
  ],
  ["gRPC", (given: TargetOptions) => grpcTarget(grpc.address, given), (port: number) => `127.0.0.1:${port}`],
] as const)("over %s", (protocol, open, address) => {
  const at = (port: number, given: TargetOptions): Target =>
    (protocol === "HTTP" ? httpTarget : grpcTarget)(address(port), given);

  test("successful responses are counted, with their real duration", async () => {
    const recording = await measure(open(options("slow")), undefined, { seconds: 2 });
    expect(recording.failures).toEqual([]);
    expect(recording.latencies.length).toBeGreaterThan(8);
    expect(recording.latencies[0]).toBeGreaterThan(19);
    expect(recording.unfinished).toBe(0);
  });

  test("each response of a stream is counted, even if it arrives in pieces, and an error in mid-stream is a failure", async () => {
    const asked = (...lines: readonly string[]): TargetOptions => {
      const ASK = tensorOf("BYTES", [lines.length], lines);
      return options("teller", { requests: [{ inputs: new Map([["ASK", ASK]]) }], streams: true });
    };
    const send = async (...lines: readonly string[]) => {
      let responses = 0;
      const connection = open(asked(...lines)).open();
      const failure = await connection.send(0, () => responses++);
      connection.close();
      return { responses, failure };
    };
    expect(await send("say a", "say b", "end")).toEqual({ responses: 2, failure: undefined });
    expect(await send("many 60000", "repeat 40", "end")).toEqual({ responses: 41, failure: undefined });
    expect(await send("end")).toEqual({ responses: 0, failure: undefined });
    expect(await send("say a", "fail x", "say b", "end")).toEqual({
      responses: 2,
      failure: { status: "error in a stream", message: "x", lost: false },
    });
    const { stream, failures, latencies } = await measure(open(asked("say a", "wait 50", "say b", "end")));
    expect(failures).toEqual([]);
    expect(stream?.firsts.length).toBe(latencies.length);
    expect(stream?.gaps.length).toBe(latencies.length);
    // A busy client may read both responses at once.
    expect(stream?.gaps.at(-1)).toBeGreaterThan(30);
    expect(latencies[0]).toBeGreaterThan(45);
  });

  test("an open loop opens as many connections as it needs", async () => {
    const load: Load = { kind: "open", rate: 200, seed: 3, connections: 50 };
    const recording = await measure(open(options("slow")), load, { seconds: 0.4 });
    expect(recording.failures).toEqual([]);
    expect(recording.latencies.length).toBeGreaterThan(50);
    expect(recording.mostInFlight).toBeGreaterThan(3);
  });

  test("refused requests are counted by status, with the server's message", async () => {
    const recording = await measure(open(options("faulty")));
    const [failure, ...others] = recording.failures;
    expect(others).toEqual([]);
    expect(failure).toMatchObject({
      status: protocol === "HTTP" ? "HTTP 503" : "gRPC UNAVAILABLE",
      message: expect.stringContaining('half of "them" 100 %'),
    });
    expect(recording.latencies.length).toBeGreaterThan(0);
    expect(Math.abs((failure?.count ?? 0) - recording.latencies.length)).toBeLessThanOrEqual(4);
  });

  test("an invalid request is counted separately from valid ones", async () => {
    const recording = await measure(open(options("add", { requests: [{ inputs }, { inputs: wrong }] })));
    expect(recording.failures.map(({ status }) => status)).toEqual([
      protocol === "HTTP" ? "HTTP 400" : "gRPC INVALID_ARGUMENT",
    ]);
    expect(recording.latencies.length).toBeGreaterThan(0);
  });

  test("a request that is not answered in time fails", async () => {
    const recording = await measure(open(options("never", { timeoutMs: 200 })), undefined, { drainMs: 3000 });
    expect(recording.failures).toMatchObject([{ status: "no answer in 0.2 s" }]);
    expect(recording.latencies.length).toBe(0);
  });

  test("a request still running after the drain time is unfinished, and its connection is closed", async () => {
    const recording = await measure(open(options("never")), undefined, { drainMs: 100 });
    expect(recording).toMatchObject({ failures: [], unfinished: 4 });
  });

  test("a missing server is reported", async () => {
    const recording = await measure(at(await freePort(), options("add")), undefined, { seconds: 1 });
    expect(recording.failures).toMatchObject([{ status: "ECONNREFUSED" }]);
    expect(recording.failures[0]?.count).toBeLessThan(40);
  });

  test("clients reconnect to a server that drops connections and comes back", async () => {
    let accepted = 0;
    const proxy = createServer((socket) => {
      accepted++;
      socket.on("error", () => undefined);
      setTimeout(() => socket.destroy(), 100);
    });
    onTestFinished(() => void proxy.close());
    const target = at(await listen(proxy), options("add"));
    const recording = await measure(target, { kind: "closed", clients: 1 }, { seconds: 1 });
    expect(recording.failures).toMatchObject([{ status: "connection lost" }]);
    expect(accepted).toBeGreaterThan(1);
  });
});

test("a gRPC request that a closing connection refuses is sent once more, on a new one", async () => {
  let connections = 0;
  const server = createHttp2Server({ settings: {} });
  server.on("session", () => connections++);
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    // The first connection answers only its first request, as with `--grpc-max-connection-age`.
    if (connections === 1 && stream.id !== 1) return stream.session?.goaway(0, 1);
    stream.resume();
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end();
  });
  onTestFinished(() => void server.close());
  const target = grpcTarget(`127.0.0.1:${await listen(server)}`, options("add"));
  const recording = await measure(target, { kind: "closed", clients: 1 });
  expect(recording.failures).toEqual([]);
  expect(recording.latencies.length).toBeGreaterThan(3);
  expect(connections).toBe(2);
});
