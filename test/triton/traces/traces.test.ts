import { join } from "node:path";
import { dtypes } from "@tritype/core";
import {
  createExtensions,
  type Extensions,
  type GrpcServer,
  type HttpServer,
  serveGrpc,
  serveHttp,
} from "@tritype/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCaller } from "../grpc-call.ts";
import { installTime, type Judged, judgeFiles, type TemporaryFolder, temporaryFolder } from "../judge.ts";
import {
  infer,
  requests,
  type Scenario,
  type Server,
  settings,
  stream,
  steps,
  unary,
} from "./traced-requests.ts";
import { echo } from "../echo-models.ts";
import { settled } from "./settled.ts";
import { printedDtypes, tracedModels } from "./traced-models.ts";
import { openWrittenTraces, type WrittenTraces } from "./written-traces.ts";

let folder: TemporaryFolder;
let judged: Judged;
let extensions: Extensions;
let http: HttpServer;
let grpc: GrpcServer;
let servers: readonly (Server & { readonly written: WrittenTraces })[];
beforeAll(async () => {
  folder = await temporaryFolder();
  const [theirs, ours] = [join(folder.path, "theirs"), join(folder.path, "ours")];
  judged = await judgeFiles(tracedModels(), {
    cacheBytes: 1_000_000,
    tritonArguments: ["level=TIMESTAMPS", "rate=1", `triton,file=${theirs}`, "triton,log-frequency=1"].map(
      (setting) => `--trace-config=${setting}`,
    ),
  });
  extensions = createExtensions({
    trace: { levels: ["TIMESTAMPS"], rate: 1, to: { kind: "files", file: ours, logFrequency: 1 } },
  });
  http = await serveHttp(judged.local, { port: 0, extensions });
  grpc = await serveGrpc(judged.local, { port: 0, extensions });
  servers = [
    {
      url: judged.triton.httpUrl,
      grpc: openCaller(judged.triton.grpcAddress),
      written: openWrittenTraces(theirs),
    },
    { url: http.url, grpc: openCaller(grpc.address), written: openWrittenTraces(ours) },
  ];
}, installTime);
afterAll(async () => {
  for (const server of servers ?? []) server.grpc.close();
  await Promise.all([http?.close(), grpc?.close()]);
  await extensions?.close();
  await judged?.stop();
  await folder?.remove();
});

/** The records of both servers. */
const traces = async (scenario: Scenario): Promise<readonly unknown[]> => {
  const results = await Promise.all(servers.map((server) => scenario(server)));
  const found = await settled(() => Promise.all(servers.map(({ written }) => written.arrived())));
  for (const { written } of servers) written.forget();
  return found.map((one, index) => ({ result: results[index], traces: one }));
};

describe("records of timestamps", () => {
  test.each(Object.entries(requests))("timestamps are recorded as in Triton: %s", async (_, scenario) => {
    const [triton, local] = await traces(async (server) => void (await scenario(server)));
    expect(local).toEqual(triton);
  });
});

/** The records of both servers. Also compares the answers to changes of settings. */
const same = async (scenario: Scenario): Promise<readonly unknown[]> => {
  const [triton, local] = await traces(scenario);
  expect(withoutFile(local)).toEqual(withoutFile(triton));
  return [triton];
};
const withoutFile = (shown: unknown): unknown =>
  JSON.parse(JSON.stringify(shown).replaceAll(/(trace_file[\\":]+)[^"\\]+/g, "$1<file>"));

const restored = settings({ trace_level: null, trace_rate: null, trace_count: null, log_frequency: null });
const numbered = (model: string, count: number, prefix: string): Scenario =>
  steps(...Array.from({ length: count }, (_, i) => infer(model, 1, { id: `${prefix}${i}` })));

describe("records of tensors", () => {
  beforeAll(async () => {
    await traces(settings({ trace_level: ["TENSORS"] }));
  });
  afterAll(async () => {
    await traces(restored);
  });
  const shapes = {
    BOOL: [true, false],
    UINT16: [1, 65_535],
    INT16: [-1, 2],
    UINT32: [4_294_967_295, 0],
    INT32: [-5, 5],
    UINT64: [1_844_674_407_370_955, 0],
    INT64: [-9_007_199_254_740, 0],
    FP32: [0.1, 1e10, 1e-7, 123_456_789, 0.5, 999_999.5, 1e-5, 0.000_123_456_78],
    FP64: [0.1, 1e300, 123_456.789, 1e-300, 100_000, 1_000_000],
    BYTES: ["a", "", "ä", "1,2"],
  } as const;
  test.each(Object.entries(shapes))("of %s", async (dtype, data) => {
    const input = { name: "INPUT", datatype: dtype, shape: [1, data.length], data };
    await same(infer(echo(dtype as keyof typeof shapes), 0, { inputs: [input] }));
  });
  test.each(printedDtypes)(
    "raw %s tensors, even empty ones, have the same records as in Triton",
    async (dtype) => {
      const bytes = dtype === "BYTES" ? [1, 0, 0, 0, 65] : Array.from({ length: 8 }, () => 1);
      const size = dtypes[dtype].byteSize ?? bytes.length;
      const ask = (shape: readonly number[], raw: readonly number[]): Scenario =>
        unary(echo(dtype), 0, {
          inputs: [{ name: "INPUT", datatype: dtype, shape }],
          raw_input_contents: [Buffer.from(raw)],
        });
      await same(steps(ask([1, bytes.length / size], bytes), ask([0, 2], [])));
    },
  );
  test("records of NaN and infinity are the same as Triton's", async () => {
    const values = new Float32Array([Number.NaN, Infinity, -Infinity, -0]);
    await same(
      unary(echo("FP32"), 0, {
        inputs: [{ name: "INPUT", datatype: "FP32", shape: [1, 4] }],
        raw_input_contents: [Buffer.from(values.buffer)],
      }),
    );
  });
  test.each([
    ["an ensemble", infer("nested", 1)],
    ["calls", infer("calling", 1)],
    ["errors", steps(infer("plain", 13), infer("plain", 14))],
    ["a stream", stream([["decoupled", 2]])],
    ["an answer of the cache", steps(infer("of_cached", 1), infer("of_cached", 1))],
  ])("of %s", async (_, scenario) => {
    await same(scenario);
  });
  test("records of tensors together with timestamps are the same as Triton's", async () => {
    await same(
      steps(settings({ trace_level: ["TIMESTAMPS", "TENSORS"] }), infer("ensemble", 1), unary("plain", 1)),
    );
  });
});

describe("traces follow settings that change", () => {
  test.each<[string, Scenario]>([
    ["one of three", steps(settings({ trace_rate: "3" }), numbered("plain", 8, "a"))],
    [
      "two of them",
      steps(settings({ trace_rate: "2", trace_count: "2" }), numbered("plain", 7, "b"), settings({})),
    ],
    ["a count of 0", settings({ trace_count: "0" })],
    [
      "files of two",
      steps(settings({ log_frequency: "2" }), numbered("plain", 5, "c"), settings({ log_frequency: "1" })),
    ],
    [
      "a file when the count is reached",
      steps(settings({ log_frequency: "0", trace_count: "2" }), numbered("plain", 4, "d")),
    ],
    [
      "a model's level",
      steps(
        settings({ trace_level: ["OFF"] }, "plain"),
        infer("plain", 1),
        infer("ensemble", 1),
        settings({ trace_level: null }, "plain"),
        infer("plain", 1),
      ),
    ],
    [
      "a model's count, which ends before the server's settings change",
      steps(
        settings({ trace_count: "1" }, "plain"),
        numbered("plain", 3, "e"),
        infer("batched", 1, { id: "f" }),
        settings({ trace_rate: "4" }),
        settings({}, "plain"),
        settings({}, "batched"),
        settings({}),
        settings({ trace_count: null }, "plain"),
      ),
    ],
    ["nothing", steps(settings({ trace_level: ["OFF"] }), infer("plain", 1), settings({ trace_rate: "0" }))],
    [
      "levels that are not known",
      steps(
        settings({ trace_level: ["SOME"] }),
        settings({ trace_level: [] }),
        settings({ trace_level: ["SOME", "TENSORS"] }),
      ),
    ],
  ])("%s", async (_, scenario) => {
    await same(steps(scenario, restored));
  });
});
