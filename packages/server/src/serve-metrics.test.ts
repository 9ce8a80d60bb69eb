import { expect, onTestFinished, test } from "vitest";
import { memoryRuntime } from "./memory-runtime.fixture.ts";
import { watchMachine } from "./machine-use.ts";
import { serveMetrics } from "./serve-metrics.ts";

const nothing = { count: 0, ns: 0 };

const statistics = {
  name: 'a"b',
  version: "1",
  last_inference: 5,
  inference_count: 7,
  execution_count: 3,
  inference_stats: {
    success: { count: 4, ns: 2_500_000 },
    fail: nothing,
    queue: { count: 4, ns: 1_999 },
    compute_input: nothing,
    compute_infer: nothing,
    compute_output: nothing,
    cache_hit: nothing,
    cache_miss: nothing,
  },
  response_stats: {},
  batch_stats: [],
  memory_usage: [],
  cached: true,
  pending: 2,
  failures: new Map([["REJECTED", 3] as const]),
};
const counts = {
  entries: 2,
  used: 0.25,
  lookups: 5,
  hits: 3,
  misses: 2,
  evictions: 1,
  lookupTime: 7.4,
  insertionTime: 3,
};
const runtime = { ...memoryRuntime([]), statistics: () => [statistics], cacheCounts: () => counts };

const cacheSamples = [
  "nv_cache_util 0.25",
  "nv_cache_num_entries 2",
  "nv_cache_num_hits 3",
  "nv_cache_num_misses 2",
  "nv_cache_num_lookups 5",
  "nv_cache_num_evictions 1",
  "nv_cache_lookup_duration 7",
  "nv_cache_insertion_duration 3",
];

const samplesOf = async (url: string): Promise<readonly string[]> =>
  (await (await fetch(`${url}/metrics`)).text()).split("\n").filter((line) => !line.startsWith("#"));

test("statistics have Triton's names and labels", async () => {
  const server = await serveMetrics(runtime, { port: 0, machineInterval: undefined });
  onTestFinished(() => server.close());
  const response = await fetch(`${server.url}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(await samplesOf(server.url)).toEqual([
    String.raw`nv_inference_request_success{model="a\"b",version="1"} 4`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="BACKEND",version="1"} 0`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="CANCELED",version="1"} 0`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="OTHER",version="1"} 0`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="REJECTED",version="1"} 3`,
    String.raw`nv_inference_count{model="a\"b",version="1"} 7`,
    String.raw`nv_inference_exec_count{model="a\"b",version="1"} 3`,
    String.raw`nv_inference_request_duration_us{model="a\"b",version="1"} 2500`,
    String.raw`nv_inference_queue_duration_us{model="a\"b",version="1"} 1`,
    String.raw`nv_inference_compute_input_duration_us{model="a\"b",version="1"} 0`,
    String.raw`nv_inference_compute_infer_duration_us{model="a\"b",version="1"} 0`,
    String.raw`nv_inference_compute_output_duration_us{model="a\"b",version="1"} 0`,
    String.raw`nv_cache_num_hits_per_model{model="a\"b",version="1"} 0`,
    String.raw`nv_cache_hit_duration_per_model{model="a\"b",version="1"} 0`,
    String.raw`nv_cache_num_misses_per_model{model="a\"b",version="1"} 0`,
    String.raw`nv_cache_miss_duration_per_model{model="a\"b",version="1"} 0`,
    String.raw`nv_inference_pending_request_count{model="a\"b",version="1"} 2`,
    "nv_pinned_memory_pool_total_bytes 0",
    "nv_pinned_memory_pool_used_bytes 0",
    ...cacheSamples,
    "",
  ]);
  const other = await fetch(`${server.url}/v2`);
  expect([other.status, await other.text()]).toEqual([200, ""]);
});

test("the tags of a model's configuration are labels of its metrics", async () => {
  const summary = { count: 1, sum: 5, quantiles: [[0.5, 5]] as const };
  const duration = { success: summary, queue: summary, compute_input: summary, compute_infer: summary };
  const tagged = {
    ...statistics,
    name: "m",
    cached: false,
    tags: { team: "search", Z: "" },
    summaries: { ...duration, compute_output: summary, cache_hit: summary, cache_miss: summary },
  };
  const server = await serveMetrics(
    { ...runtime, statistics: () => [tagged] },
    { port: 0, machineInterval: undefined },
  );
  onTestFinished(() => server.close());
  const samples = await samplesOf(server.url);
  const own = samples.filter((line) => line.includes("{"));
  expect(own.filter((line) => !line.includes('{_Z="",_team="search",model="m",'))).toEqual([]);
  expect(own).toContain(
    'nv_inference_request_failure{_Z="",_team="search",model="m",reason="REJECTED",version="1"} 3',
  );
  expect(own).toContain(
    'nv_inference_queue_summary_us{_Z="",_team="search",model="m",version="1",quantile="0.5"} 5',
  );
});

test("a model's own metrics have a description unless it is empty", async () => {
  const family = (description: string) => ({
    name: "own",
    description,
    kind: "gauge" as const,
    metrics: [{ labels: [["of", "m"]] as const, value: 1.5 }],
  });
  const families = [family("all of them"), family("")];
  const server = await serveMetrics(
    { ...memoryRuntime([]), customMetrics: () => families },
    { port: 0, machineInterval: undefined },
  );
  onTestFinished(() => server.close());
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const own = ["# TYPE own gauge", 'own{of="m"} 1.5'];
  expect(text.split("\n").filter((line) => line.includes("own"))).toEqual([
    "# HELP own all of them",
    ...own,
    ...own,
  ]);
});

test("with counters off, the models' durations are missing and their other counters stay at 0", async () => {
  const server = await serveMetrics(runtime, { port: 0, counters: false, machineInterval: undefined });
  onTestFinished(() => server.close());
  expect(await samplesOf(server.url)).toEqual([
    String.raw`nv_inference_request_success{model="a\"b",version="1"} 0`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="BACKEND",version="1"} 0`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="CANCELED",version="1"} 0`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="OTHER",version="1"} 0`,
    String.raw`nv_inference_request_failure{model="a\"b",reason="REJECTED",version="1"} 0`,
    String.raw`nv_inference_count{model="a\"b",version="1"} 0`,
    String.raw`nv_inference_exec_count{model="a\"b",version="1"} 0`,
    String.raw`nv_inference_pending_request_count{model="a\"b",version="1"} 2`,
    "nv_pinned_memory_pool_total_bytes 0",
    "nv_pinned_memory_pool_used_bytes 0",
    ...cacheSamples,
    "",
  ]);
});

test("the machine's utilization is between 0 and 1, and is measured again each time", async () => {
  const watch = watchMachine(2);
  onTestFinished(() => watch.close());
  const first = watch.use();
  await expect.poll(() => watch.use()).not.toBe(first);
  const { cpu, memory, memoryUsed } = watch.use();
  expect(cpu).toBeGreaterThanOrEqual(0);
  expect(cpu).toBeLessThanOrEqual(1);
  expect(memoryUsed).toBeLessThan(memory);
});
