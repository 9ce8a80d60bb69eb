import { setTimeout as sleep } from "node:timers/promises";
import {
  createExtensions,
  type Extensions,
  type GrpcServer,
  type HttpServer,
  serveGrpc,
  serveHttp,
} from "@tritype/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openCaller } from "../grpc-call.ts";
import { installTime, type Judged, judgeFiles } from "../judge.ts";
import { sendRaw } from "../raw-request.ts";
import { openOtlpSink, type OtlpSink, type SunkSpan } from "./otlp-sink.ts";
import { settled } from "./settled.ts";
import { spanTrees } from "./span-trees.ts";
import { tracedModels } from "./traced-models.ts";
import {
  generate,
  infer,
  requests,
  type Scenario,
  type Server,
  settings,
  steps,
  stream,
  unary,
} from "./traced-requests.ts";

let sinks: readonly OtlpSink[];
let judged: Judged;
let extensions: Extensions;
let http: HttpServer;
let grpc: GrpcServer;
let servers: readonly (Server & { readonly sink: OtlpSink })[];
beforeAll(async () => {
  const [theirs, ours] = await Promise.all([openOtlpSink(), openOtlpSink()]);
  sinks = [theirs, ours];
  const written = (url: string) =>
    [
      ["url", url],
      ["resource", "service.name=embed"],
      ["resource", "deployment=test=1"],
      ["bsp_schedule_delay", "50"],
    ] as const;
  judged = await judgeFiles(tracedModels(), {
    cacheBytes: 1_000_000,
    tritonArguments: [
      "level=TIMESTAMPS",
      "rate=1",
      "mode=opentelemetry",
      ...written(theirs.url).map(([name, value]) => `opentelemetry,${name}=${value}`),
    ].map((setting) => `--trace-config=${setting}`),
  });
  extensions = createExtensions({
    trace: {
      levels: ["TIMESTAMPS"],
      rate: 1,
      to: {
        kind: "collector",
        url: ours.url,
        resource: new Map([
          ["service.name", "embed"],
          ["deployment", "test=1"],
        ]),
        scheduleDelay: 50,
        written: written(ours.url),
      },
    },
  });
  http = await serveHttp(judged.local, { port: 0, extensions });
  grpc = await serveGrpc(judged.local, { port: 0, extensions });
  servers = [
    { url: judged.triton.httpUrl, grpc: openCaller(judged.triton.grpcAddress), sink: theirs },
    { url: http.url, grpc: openCaller(grpc.address), sink: ours },
  ];
}, installTime);
afterAll(async () => {
  for (const server of servers ?? []) server.grpc.close();
  await Promise.all([http?.close(), grpc?.close()]);
  await extensions?.close();
  await judged?.stop();
  for (const sink of sinks ?? []) await sink.close();
});

/** The spans of a request, at least so many, once no more arrive. */
const spansOf = async (
  server: (typeof servers)[number],
  scenario: Scenario,
  least: number,
): Promise<readonly SunkSpan[]> => {
  const { exports } = server.sink;
  exports.length = 0;
  await scenario(server);
  await vi.waitFor(() => expect(server.sink.spans().length).toBeGreaterThanOrEqual(least), 20_000);
  for (let known = -1; known !== exports.length; ) {
    known = exports.length;
    await sleep(150);
  }
  return server.sink.spans();
};
/** The spans of both servers. */
const trees = async (scenario: Scenario): Promise<readonly (readonly string[])[]> => {
  for (const { sink } of servers) sink.exports.length = 0;
  await Promise.all(servers.map((server) => scenario(server)));
  return settled(async () => servers.map(({ sink }) => spanTrees(sink.spans())));
};

describe("spans", () => {
  test.each(Object.entries(requests))("spans are the same as Triton's: %s", async (_, scenario) => {
    const [triton, local] = await trees(scenario);
    expect(local).toEqual(triton);
  });

  const caller = {
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    tracestate: "a=b,c=d",
  };
  test.each<[string, Scenario]>([
    ["over HTTP", infer("nested", 1, {}, caller)],
    ["without a state", infer("plain", 1, {}, { traceparent: caller.traceparent })],
    ["that is not sampled", infer("plain", 1, {}, { traceparent: caller.traceparent.replace(/1$/, "0") })],
    ["over generate_stream", generate("decoupled", 2, true, caller)],
    ["over gRPC", unary("ensemble", 1, {}, caller)],
    [
      "of a stream",
      stream(
        [
          ["plain", 1, { id: "a" }],
          ["decoupled", 2, { id: "b" }],
        ],
        caller,
      ),
    ],
  ])("spans are children of the caller's span: %s", async (way, scenario) => {
    const [triton, local = []] = await trees(scenario);
    const [theirs, ours] = sinks.map((sink) => new Set(sink.spans().map(({ traceId }) => traceId)));
    expect(local.join()).toContain("below b7ad6b7169203331");
    expect(ours?.size).toBe(1);
    // Some processes of Triton 24.10 read the caller's headers from HTTP requests, but never from gRPC requests.
    if (/gRPC|stream$/.test(way) && triton?.join().includes("below nothing") === true)
      expect(local.map(withoutCaller)).toEqual(triton);
    else expect([local, ours]).toEqual([triton, theirs]);
  });
  const withoutCaller = (tree: string): string =>
    tree.replaceAll("below b7ad6b7169203331", "below nothing").replaceAll("[a=b,c=d]", "[]");

  test.each([
    "zz",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  ])("spans do not belong to the caller %s", async (traceparent) => {
    const [triton, local] = await trees(infer("plain", 1, {}, { traceparent }));
    expect(local).toEqual(triton);
    expect(local?.join()).toContain("below nothing");
  });

  test.each([
    [
      "that change",
      steps(settings({ trace_rate: "2", trace_count: "1" }), ...[1, 2, 3, 4].map((n) => infer("plain", n))),
    ],
    [
      "of tensors only",
      steps(settings({ trace_level: ["TENSORS"], trace_rate: null, trace_count: null }), infer("plain", 1)),
    ],
    ["that turn traces off", steps(settings({ trace_level: ["OFF"] }), infer("plain", 1))],
  ])("spans follow the settings %s", async (_, scenario) => {
    const [triton, local] = await trees(scenario);
    await trees(settings({ trace_level: null, trace_rate: null, trace_count: null }));
    expect(local).toEqual(triton);
  });
});

test("spans are complete: each begins and ends, with its events in order", async () => {
  const [, local] = servers;
  if (local === undefined) throw new Error("there is no local server");
  const spans = await spansOf(local, infer("nested", 1), 9);
  expect(spans).toHaveLength(9);
  for (const { startTimeUnixNano, endTimeUnixNano, events = [] } of spans) {
    const times = events.map(({ timeUnixNano }) => BigInt(timeUnixNano));
    expect(times.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(times);
    expect(BigInt(startTimeUnixNano)).toBeLessThanOrEqual(BigInt(endTimeUnixNano));
    expect(Math.abs(Number(BigInt(endTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
  }
});

test("spans have Triton's resource and scope", async () => {
  const described = [];
  for (const server of servers) {
    await spansOf(server, infer("plain", 1), 1);
    const [one] = server.sink.exports[0]?.resourceSpans ?? [];
    described.push({
      attributes: (one?.resource.attributes ?? [])
        .filter(({ key }) => !/^telemetry\.sdk\.(?:version|language)$/.test(key))
        .map(({ key, value }) => `${key}=${value.stringValue}`)
        .toSorted(),
      scopes: one?.scopeSpans.map(({ scope }) => scope.name),
    });
  }
  const [triton, local] = described;
  expect(local).toEqual(triton);
  expect([...(sinks[1]?.contentTypes ?? [])]).toEqual(["application/x-protobuf"]);
});

test("a Python model gets the context of its span", async () => {
  const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  for (const more of [{}, { tracestate: "a=b" }]) {
    const answers = [];
    for (const server of servers) {
      const reply = await sendRaw(server.url, {
        path: "/v2/models/context/infer",
        headers: { ...headers, ...more },
        body: JSON.stringify({ inputs: [{ name: "X", datatype: "FP32", shape: [2], data: [1, 1] }] }),
      });
      answers.push(reply.body.toString().replace(/-[0-9a-f]{16}-/, "-<span>-"));
    }
    expect(answers[1]).toBe(answers[0]);
  }
});

test("the settings for spans are the same as in Triton", async () => {
  const shown = [];
  for (const [i, server] of servers.entries()) {
    const over = async (path: string) =>
      (await sendRaw(server.url, { path })).body.toString().replace(sinks[i]?.url ?? "", "<url>");
    const reply = await server.grpc.call({ method: "TraceSetting", message: { settings: {} } });
    shown.push([
      await over("/v2/trace/setting"),
      await over("/v2/models/plain/trace/setting"),
      JSON.parse(JSON.stringify(reply).replace(sinks[i]?.url ?? "", "<url>")) as object,
    ]);
  }
  expect(shown[1]).toEqual(shown[0]);
});
