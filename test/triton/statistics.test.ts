import { type HttpServer, serveHttp, serveMetrics } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countedDuring, countsOf, type Version } from "./counts.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { judgedModelsWithoutEchoes } from "./judged-models.ts";
import { type RawRequest, sendRaw } from "./raw-request.ts";

const infer = (
  model: string,
  inputs: readonly object[],
  more: object = {},
): RawRequest & { readonly body: string } => ({
  path: `/v2/models/${model}/infer`,
  body: JSON.stringify({ inputs, ...more }),
});
const rows = (name: string, count: number, datatype = "FP32"): object => ({
  name,
  datatype,
  shape: [count, 2],
  data: Array.from({ length: 2 * count }, (_, i) => i),
});
const pair = (count: number): readonly object[] => [rows("A", count), rows("B", count)];
const int32 = (value: number, shape: readonly number[] = [1, 1]): readonly object[] => [
  { name: "X", datatype: "INT32", shape, data: [value] },
];
const classes = (name: string, classification: number): object => ({
  outputs: [{ name, parameters: { classification } }],
});

/** The requests to both servers, in this order; each step is counted separately. */
const steps: Readonly<Record<string, readonly RawRequest[]>> = {
  "a row": [infer("sum", pair(1))],
  "batches of two sizes": [infer("sum", pair(4)), infer("sum", pair(2)), infer("sum", pair(4))],
  "one version by its number": [infer("sum/versions/1", pair(3))],
  "a version that there is not": [infer("sum/versions/7", pair(1))],
  "a model that there is not": [infer("nobody", pair(1))],
  "a version that is not a number": [infer("sum/versions/x", pair(1))],
  "a batch too large": [infer("sum", pair(5))],
  "an input too few": [infer("sum", [rows("A", 1)])],
  "another datatype": [infer("sum", [rows("A", 1, "INT32"), rows("B", 1)])],
  "another shape": [infer("scalar", [rows("X", 1)])],
  "a body that is not JSON": [{ path: "/v2/models/sum/infer", body: "{" }],
  "an output that there is not": [infer("sum", pair(1), { outputs: [{ name: "Z" }] })],
  "one output of two": [infer("sum", pair(2), { outputs: [{ name: "DIFF" }] })],
  classification: [infer("sum", pair(2), classes("SUM", 1))],
  "classification of no class": [infer("sum", pair(1), classes("SUM", 0))],
  "more classes than there are": [infer("sum", pair(1), classes("SUM", 9))],
  "a dynamic batcher, alone": [infer("batched", int32(1)), infer("batched", int32(2))],
  "a priority that there is not": [infer("batched", int32(1), { parameters: { priority: 9 } })],
  "a model that throws": [infer("failing", int32(0))],
  "a model that answers with errors": [1, 2, 3, 4].map((code) => infer("failing", int32(code))),
  "an ensemble": [infer("sum_twice", pair(1)), infer("sum_twice", pair(3))],
  "an ensemble refuses": [infer("sum_twice", pair(5)), infer("sum_twice", [rows("A", 1)])],
  "one output of an ensemble": [infer("sum_twice", pair(1), { outputs: [{ name: "SUM" }] })],
  "classification of an ensemble": [infer("sum_twice", pair(2), classes("SUM", 2))],
  "an ensemble whose member throws": [infer("failing_inside", int32(0))],
  "an ensemble whose member answers with an error": [infer("failing_inside", int32(1))],
  "a model without a batch": [infer("raw", [rows("X", 3, "INT32")])],
  "optional inputs": [infer("optional", [{ name: "A", datatype: "INT32", shape: [1], data: [1] }])],
};

let judged: Judged;
let http: HttpServer;
let metrics: HttpServer;
beforeAll(async () => {
  judged = await judgeFiles(judgedModelsWithoutEchoes());
  http = await serveHttp(judged.local, { port: 0 });
  metrics = await serveMetrics(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), metrics?.close()]);
  await judged?.stop();
});

const countedOn = async (
  url: string,
  metricsUrl: string,
  requests: readonly RawRequest[],
): Promise<Readonly<Record<string, number>>> => {
  const { counts } = await countedDuring(url, metricsUrl, async () => {
    for (const request of requests) await sendRaw(url, request);
  });
  return counts;
};

test("both have the same counts before anything happens", async () => {
  const [wanted, got] = await Promise.all([
    countsOf(judged.triton.httpUrl, judged.triton.metricsUrl),
    countsOf(http.url, `${metrics.url}/metrics`),
  ]);
  expect(Object.fromEntries(got)).toEqual(Object.fromEntries(wanted));
});

test.each(Object.entries(steps))("counts as Triton does: %s", async (name, requests) => {
  const [wanted, got] = await Promise.all([
    countedOn(judged.triton.httpUrl, judged.triton.metricsUrl, requests),
    countedOn(http.url, `${metrics.url}/metrics`, requests),
  ]);
  expect(got).toEqual(wanted);
});

test("the statistics of versions and models are subsets of all statistics", async () => {
  for (const path of [
    "/v2/models/sum/stats",
    "/v2/models/sum/versions/1/stats",
    "/v2/models/failing/stats",
  ]) {
    const [wanted, got] = await Promise.all(
      [judged.triton.httpUrl, http.url].map(async (url) => {
        const { status, body } = await sendRaw(url, { path });
        const { model_stats } = JSON.parse(body.toString()) as { readonly model_stats: readonly Version[] };
        return [status, model_stats.map(({ name, version }) => [name, version])];
      }),
    );
    expect([path, got]).toEqual([path, wanted]);
  }
});
