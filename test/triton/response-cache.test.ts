import { type HttpServer, serveHttp, serveMetrics } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { countedDuring } from "./counts.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { type RawRequest, sendRaw } from "./raw-request.ts";

/** Counts its rows, so that an answer shows whether the model ran. For some numbers it fails, waits or returns a long text. */
const model = `
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.calls = 0

    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(request, "X").as_numpy()) for request in requests]

    def answer(self, x):
        self.calls += 1
        number = int(x.flat[0]) if x.size else 0
        if number == 13:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("unlucky"))
        if number == 14:
            raise ValueError("boom")
        if number == 15:
            time.sleep(0.5)
        calls = np.full([len(x), 1], self.calls, np.int32)
        text = np.array([[b"a" * number]] * len(x), object)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", x * 2), pb_utils.Tensor("CALLS", calls), pb_utils.Tensor("TEXT", text)])
`;
const ports = `max_batch_size: 4
input [ { name: "X" data_type: TYPE_INT32 dims: [ -1 ] } ]
output [
  { name: "Y" data_type: TYPE_INT32 dims: [ -1 ] },
  { name: "CALLS" data_type: TYPE_INT32 dims: [ 1 ] },
  { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
]
`;
const cached = "response_cache { enable: true }\n";
const python = (name: string, more: string): Files => ({
  [`${name}/config.pbtxt`]: `name: "${name}"\nbackend: "python"\n${ports}instance_group [ { kind: KIND_CPU } ]\n${more}`,
  [`${name}/1/model.py`]: model,
});
const map = (name: string, tensors: readonly string[]): string =>
  tensors.map((tensor) => `${name} { key: "${tensor}" value: "${tensor}" }`).join(" ");
const ensemble = (name: string, member: string, more: string): Files => ({
  [`${name}/config.pbtxt`]: `name: "${name}"\nplatform: "ensemble"\n${ports}ensemble_scheduling { step [ { model_name: "${member}" model_version: -1 ${map("input_map", ["X"])} ${map("output_map", ["Y", "CALLS", "TEXT"])} } ] }\n${more}`,
  [`${name}/1/`]: "",
});

let judged: Judged;
let http: HttpServer;
let metrics: HttpServer;
beforeAll(async () => {
  const files = {
    ...python("single", cached),
    ...python("batched", `${cached}dynamic_batching { max_queue_delay_microseconds: 1000 }\n`),
    ...python(
      "late",
      `${cached}dynamic_batching { default_queue_policy { timeout_action: REJECT default_timeout_microseconds: 150000 } }\n`,
    ),
    ...python("plain", ""),
    ...ensemble("of_cached", "single", ""),
    ...ensemble("of_plain", "plain", cached),
    ...python("sums", "sequence_batching { }\n"),
    ...ensemble("of_sums", "sums", cached),
    ...ensemble("around_sums", "of_uncached_sums", cached),
    ...ensemble("of_uncached_sums", "sums", ""),
  };
  judged = await judgeFiles(files, { cacheBytes });
  http = await serveHttp(judged.local, { port: 0 });
  metrics = await serveMetrics(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), metrics?.close()]);
  await judged?.stop();
});

const cacheBytes = 20_000;

const infer = (
  name: string,
  data: readonly number[],
  {
    shape = [1, data.length],
    ...more
  }: { readonly shape?: readonly number[]; readonly [key: string]: unknown } = {},
): RawRequest => ({
  path: `/v2/models/${name}/infer`,
  body: JSON.stringify({ inputs: [{ name: "X", datatype: "INT32", shape, data }], ...more }),
});
const wanted = (...names: readonly string[]): { readonly outputs: readonly object[] } => ({
  outputs: names.map((name) => ({ name })),
});

/** Requests to both servers, one after another, in this order. */
const steps: Readonly<Record<string, readonly RawRequest[]>> = {
  "the same request again, with another id": [infer("single", [1]), infer("single", [1], { id: "second" })],
  "a dynamic batcher": [infer("batched", [1]), infer("batched", [1])],
  "a model without a cache": [infer("plain", [1]), infer("plain", [1])],
  "an ensemble whose member has a cache": [
    infer("of_cached", [1]),
    infer("of_cached", [2]),
    infer("of_cached", [2]),
  ],
  "an ensemble with a cache": [infer("of_plain", [1]), infer("of_plain", [1], { id: "again" })],
  "the same numbers in another shape": [infer("single", [1, 2]), infer("single", [1, 2], { shape: [2, 1] })],
  "other outputs, later": [
    infer("single", [5], wanted("CALLS")),
    infer("single", [5]),
    infer("single", [5], wanted("Y")),
    infer("single", [5], { parameters: { priority: 1, extra: 2 } }),
  ],
  classification: [infer("single", [1], { outputs: [{ name: "Y", parameters: { classification: 1 } }] })],
  "an answer that is an error": [infer("single", [13]), infer("single", [13])],
  "nothing to keep": [infer("single", []), infer("single", [])],
  "an answer as large as the cache": [infer("single", [25_000]), infer("single", [25_000])],
  "the least recently used makes room": [
    infer("single", [1]),
    infer("single", [9000]),
    infer("single", [1]),
    infer("single", [9001]),
    infer("single", [1]),
    infer("single", [9000]),
  ],
  "an invalid request": [infer("single", [1], { shape: [5, 1] }), infer("single", [1], wanted("Z"))],
};

const reply = async (url: string, request: RawRequest): Promise<Readonly<Record<string, unknown>>> => {
  const { status, body } = await sendRaw(url, request);
  const { outputs, error, ...rest } = JSON.parse(body.toString()) as {
    readonly outputs?: readonly { readonly name: string }[];
    readonly error?: string;
  };
  return {
    status,
    ...rest,
    // An error from a model with a cache does not begin with the request's id.
    error: error?.replace("[request id: <id_unknown>] ", ""),
    // The order of an ensemble's outputs comes from a map in Triton.
    outputs: outputs?.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
};

const onBoth = async <T>(work: (url: string) => Promise<T>) => {
  const triton = await countedDuring(judged.triton.httpUrl, judged.triton.metricsUrl, () =>
    work(judged.triton.httpUrl),
  );
  const local = await countedDuring(http.url, `${metrics.url}/metrics`, () => work(http.url));
  return { triton, local };
};

test.each(Object.entries(steps))("answers and counts as Triton does: %s", async (_, requests) => {
  const { triton, local } = await onBoth(async (url) => {
    const replies = [];
    for (const request of requests) replies.push(await reply(url, request));
    return replies;
  });
  expect(local).toEqual(triton);
});

test("a failure of an ensemble is not cached", async () => {
  const failing = infer("of_plain", [13]);
  const { triton, local } = await onBoth(async (url) => [
    await reply(url, failing),
    await reply(url, failing),
  ]);
  expect(local.result).toEqual(triton.result);
  // 24.10 counts a request that fails in an ensemble twice.
  const ran = "plain 1 executions";
  expect([local.counts[ran], triton.counts[ran]]).toEqual([2, 2]);
});

// docs/diagnostics/ensemble/sequence-cache.md
test.each(["of_sums", "around_sums"])(
  "%s, with a cache around sequences, answers other requests of sequences with the first answer",
  async (name) => {
    const request = (id: number, flags: object): RawRequest =>
      infer(name, [1], { parameters: { sequence_id: id, ...flags } });
    const first = { sequence_start: true };
    const { triton, local } = await onBoth(async (url) => [
      await reply(url, request(1, first)),
      await reply(url, request(1, {})),
      await reply(url, request(2, first)),
    ]);
    // Their `CALLS` would otherwise be 1, 2 and 3.
    const [answer, ...others] = triton.result.map((one) => one["outputs"]);
    expect(others).toEqual([answer, answer]);
    expect(triton.counts["sums 1 executions"]).toBe(1);
    expect(local).toEqual(triton);
  },
);

test("three identical simultaneous requests all run, and one answer is cached", async () => {
  const { triton, local } = await onBoth((url) =>
    Promise.all([1, 2, 3].map(() => sendRaw(url, infer("single", [15])).then(({ status }) => status))),
  );
  expect(triton.counts["single 1 cache_miss"]).toBe(1);
  expect(local).toEqual(triton);
});

let attempts = 0;

test("a request that waited in the queue for too long is refused", async () => {
  // Another attempt must not get answers that an earlier one left in the cache.
  const attempt = attempts++;
  const { triton, local } = await onBoth(async (url) => {
    const first = sendRaw(url, infer("late", [15, attempt]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const rejected = await reply(url, infer("late", [16, attempt]));
    await first;
    return [rejected, await reply(url, infer("late", [16, attempt]))];
  });
  expect(local).toEqual(triton);
});
