import { setTimeout as sleep } from "node:timers/promises";
import { type HttpServer, serveHttp, serveMetrics } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { countedDuring, countsOf, expectSameCounted, type Version } from "./counts.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { judgedModelsWithoutEchoes } from "./judged-models.ts";
import { type RawRequest, sendRaw } from "./raw-request.ts";
import { serveBoth } from "./serve-both.ts";

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

const x = { name: "X", datatype: "FP32", shape: [1], data: [1] };

/** Ensembles by their steps: one after the other, or side by side if the name says so. */
const failingEnsembles: Readonly<Record<string, readonly string[]>> = {
  nothing: ["gives_nothing"],
  last_fails: ["gives", "fails"],
  first_fails: ["fails", "gives"],
  side_fast_fails: ["fails", "fails_late"],
  side_slow_fails: ["gives", "fails_late"],
  side_fast_fails_only: ["gives_late", "fails"],
  side_inner_fails: ["gives_late", "last_fails"],
  sender_fails: ["sends_error"],
  sender_fails_open: ["sends_error_open"],
  sender_throws: ["sends_and_throws"],
  after_sender: ["sends_one", "fails_late"],
  after_open_sender: ["sends_one_open", "fails"],
};

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
  "no input of a batched model": [infer("none_needed", [])],
  "optional inputs": [infer("optional", [{ name: "A", datatype: "INT32", shape: [1], data: [1] }])],
};

const python =
  "import numpy\nimport triton_python_backend_utils as pb\nFINAL = pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL\n";
const response = 'pb.InferenceResponse([pb.Tensor("Y", numpy.ones(1, numpy.float32))])';
const failure = 'pb.InferenceResponse(error=pb.TritonError("no"))';
const port = (name: string): string => `name: "${name}" data_type: TYPE_FP32 dims: 1`;
const tensors = `input { ${port("X")} } output { ${port("Y")} }`;
const sender = (name: string, execute: string): Files =>
  pythonModel(
    name,
    `${tensors} model_transaction_policy { decoupled: true }`,
    `send = requests[0].get_response_sender().send; ${execute}`,
  );
const ensembleConfig = (steps: readonly string[], side: boolean): string => {
  const last = steps.length - 1;
  const made = steps.map((_, i) => (side ? `Y${i}` : i === last ? "Y" : `T${i}`));
  const flow = steps.map((model, i) => {
    const from = side ? "X" : (made[i - 1] ?? "X");
    return `step { model_name: "${model}" model_version: -1 input_map { key: "X" value: "${from}" } output_map { key: "Y" value: "${made[i]}" } }`;
  });
  const outputs = made.filter((name) => name.startsWith("Y")).map((name) => `output { ${port(name)} }`);
  return `platform: "ensemble" input { ${port("X")} } ${outputs.join(" ")} ensemble_scheduling { ${flow.join(" ")} }`;
};
const pythonModel = (name: string, config: string, execute: string): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python" ${config}`,
  [`${name}/1/model.py`]: `${python}class TritonPythonModel:\n    def execute(self, requests):\n        ${execute}\n`,
});
const noneNeeded = pythonModel(
  "none_needed",
  'max_batch_size: 4 input { name: "X" data_type: TYPE_FP32 dims: 1 optional: true }',
  "raise ValueError",
);
const failingModels: Files = {
  ...pythonModel("gives", tensors, `return [${response}]`),
  ...pythonModel("gives_late", tensors, `__import__("time").sleep(0.6); return [${response}]`),
  ...pythonModel("gives_nothing", tensors, "return [pb.InferenceResponse([])]"),
  // Triton 24.10 crashes on a busy machine if a step fails before the parallel step has started.
  ...pythonModel("fails", tensors, `__import__("time").sleep(0.1); raise ValueError`),
  ...pythonModel("fails_late", tensors, `__import__("time").sleep(0.3); raise ValueError`),
  ...sender("sends_error", `send(${failure}, FINAL)`),
  ...sender("sends_error_open", `send(${failure}); send(flags=FINAL)`),
  ...sender("sends_and_throws", `send(${response}); raise ValueError`),
  ...sender("sends_one", `send(${response}, FINAL)`),
  ...sender("sends_one_open", `send(${response}); __import__("time").sleep(0.6); send(flags=FINAL)`),
  ...Object.fromEntries(
    Object.entries(failingEnsembles).map(([name, steps]) => [
      `${name}/config.pbtxt`,
      ensembleConfig(steps, name.startsWith("side")),
    ]),
  ),
  ...Object.fromEntries(Object.keys(failingEnsembles).map((name) => [`${name}/1/`, ""])),
};

let judged: Judged;
let http: HttpServer;
let metrics: HttpServer;
beforeAll(async () => {
  judged = await judgeFiles({ ...judgedModelsWithoutEchoes(), ...noneNeeded });
  http = await serveHttp(judged.local, { port: 0 });
  metrics = await serveMetrics(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), metrics?.close()]);
  await judged?.stop();
});

const countedOn = async (url: string, metricsUrl: string, requests: readonly RawRequest[]): Promise<object> =>
  countedDuring(url, metricsUrl, async () => {
    const replies: object[] = [];
    for (const request of requests) {
      const { status, headers } = await sendRaw(url, request);
      replies.push([status, headers["content-type"]]);
    }
    return replies;
  });

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

test("a failed request of an ensemble counts twice, unless other steps are running", async () => {
  // Servers of its own: if Triton crashes, another attempt needs a new one.
  const [triton, local] = await serveBoth(failingModels);
  const both = [
    { http: triton.url, grpc: "", metrics: triton.metrics },
    { http: local.url, grpc: "", metrics: local.metrics },
  ] as const;
  await expectSameCounted(both, Object.keys(failingEnsembles), async (server) => {
    const replies: object[] = [];
    for (const name of Object.keys(failingEnsembles)) {
      const infer = { path: `/v2/models/${name}/infer`, body: JSON.stringify({ inputs: [x] }) };
      const stream = { path: `/v2/models/${name}/generate_stream`, body: '{"X":[1]}' };
      for (const request of [infer, stream]) {
        const { status, body } = await sendRaw(server.http, request);
        replies.push([name, status, body.includes("sequence_id")]);
      }
    }
    // The steps that were still running.
    await sleep(1000);
    return replies;
  });
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
