import type { MetricsOptions } from "@tritype/server";
import { expect, test } from "vitest";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installTime, type JudgeOptions } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";
import { serveBoth } from "./serve-both.ts";

const model = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        texts = {"own_described": "One", "own_plain": ""}
        self.families = [pb_utils.MetricFamily(name, text, pb_utils.MetricFamily.GAUGE) for name, text in texts.items()]
        self.metrics = [family.Metric({"of": args["model_name"]}) for family in self.families]

    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(request, "X").as_numpy()) for request in requests]

    def answer(self, x):
        if x.flat[0] == 13:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("unlucky"))
        if x.flat[0] == 14:
            raise ValueError("boom")
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", x * 2)])
`;
const ports = `max_batch_size: 4
input [ { name: "X" data_type: TYPE_INT32 dims: [ 1 ] } ]
output [ { name: "Y" data_type: TYPE_INT32 dims: [ 1 ] } ]
`;
const python = (name: string, more = ""): Files => ({
  [`${name}/config.pbtxt`]: `name: "${name}"\nbackend: "python"\n${ports}instance_group [ { kind: KIND_CPU } ]\n${more}`,
  [`${name}/1/model.py`]: model,
});
const files: Files = {
  ...python("plain", 'metric_tags { key: "team" value: "a \\"b\\"" }\nmetric_tags { key: "Z" value: "" }\n'),
  ...python("cached", "response_cache { enable: true }\n"),
  "both/config.pbtxt": `name: "both"\nplatform: "ensemble"\n${ports}ensemble_scheduling { step [ { model_name: "plain" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" } } ] }\n`,
  "both/1/": "",
};

interface Case extends JudgeOptions {
  readonly shown?: Partial<MetricsOptions>;
}
const quantiles = [0.5, 0.9, 0.95, 0.99, 0.999];
const cases: Readonly<Record<string, Case>> = {
  "no options": {},
  "a cache": { cacheBytes: 100_000 },
  "summaries, and a cache": {
    cacheBytes: 100_000,
    tritonArguments: ["--metrics-config=summary_latencies=true"],
    localOptions: { summaryQuantiles: quantiles },
  },
  "summaries with quantiles instead of counters, and nothing about the machine": {
    tritonArguments: [
      "--metrics-config=summary_latencies=true",
      "--metrics-config=summary_quantiles=0.25:0.05,0.75:0.01",
      "--metrics-config=counter_latencies=false",
      "--allow-cpu-metrics=false",
      "--allow-gpu-metrics=false",
    ],
    localOptions: { summaryQuantiles: [0.25, 0.75] },
    shown: { counters: false, machineInterval: undefined },
  },
  "no counters, with a cache": {
    cacheBytes: 100_000,
    tritonArguments: ["--metrics-config=counter_latencies=false", "--metrics-interval-ms=100"],
    shown: { counters: false, machineInterval: 100 },
  },
};

/** Metrics whose values depend on the machine and the time, or, for the memory pool, on CUDA. */
const unequal = /_duration|_sum\b|quantile=|^nv_cpu_|^nv_pinned|^nv_cache_util/;

/** A scrape by name and labels: help, type, and the value, or only its presence if values differ. */
const contentOf = async (url: string): Promise<Readonly<Record<string, string>>> => {
  const lines = (await (await fetch(url)).text()).split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines
      .map((line): readonly [string, string] => {
        if (line.startsWith("#")) return [line, ""];
        const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
        const key = `${name} ${labels.split(",").toSorted().join(" ")}`;
        return [key, unequal.test(key) ? String(Number.isNaN(Number(value.replace("Nan", "NaN")))) : value];
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
};

/** Status, type and first text of unusual requests. */
const othersOf = (url: string): Promise<readonly unknown[]> =>
  Promise.all(
    [
      { path: "/metrics/" },
      { path: "/metrics", body: "" },
      { method: "PUT", path: "/metrics/?x=1" },
      ...[
        "/",
        "/metric",
        "/metricsx",
        "/metrics/x",
        "/metrics//",
        "//metrics",
        "/METRICS",
        "/v2",
        "/%6detrics",
      ].map((path) => ({ path })),
      { path: "/v2/health/live", body: "{}" },
      { method: "OPTIONS", path: "/x" },
    ].map(async (request) => {
      const { status, headers, body } = await sendRaw(url, request);
      return [request, status, headers["content-type"], body.toString("utf8", 0, 10)];
    }),
  );

const infer = async (url: string, name: string, rows: readonly number[]): Promise<void> => {
  const body = JSON.stringify({
    inputs: [{ name: "X", datatype: "INT32", shape: [rows.length, 1], data: rows }],
  });
  await sendRaw(url, { path: `/v2/models/${name}/infer`, body });
};

const work = async (url: string): Promise<void> => {
  for (const name of ["plain", "cached"])
    for (const rows of [[1], [1], [1, 2, 3], [13], [14], [1, 2, 3, 4, 5]]) await infer(url, name, rows);
  for (const rows of [[1], [2, 3]]) await infer(url, "both", rows);
};

test.each(Object.entries(cases))(
  "metrics have Triton's names, texts, types, labels and counts: %s",
  async (_, { shown = {}, ...options }) => {
    const [triton, local] = await serveBoth(files, options, shown);
    const both = async () => ({
      triton: await contentOf(triton.metrics),
      local: await contentOf(local.metrics),
    });
    const before = await both();
    expect(before.local).toEqual(before.triton);
    expect(await othersOf(local.metrics)).toEqual(await othersOf(triton.metrics));
    await Promise.all([triton.url, local.url].map(work));
    const after = await both();
    // Triton updates the metrics of its cache at intervals.
    await expect.poll(async () => (await both()).triton, { timeout: 20_000 }).toEqual(after.local);
  },
  installTime,
);
