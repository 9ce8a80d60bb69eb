import { describe, expect, test } from "vitest";
import { createCustomMetrics } from "./custom-metrics.ts";

const one = { of: "all" };
const labels = (values: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(values));

test("families with the same name are merged, as are metrics with equal labels within a family, across processes", () => {
  const metrics = createCustomMetrics();
  const [a, b] = [metrics.open(), metrics.open()];
  const [first, second] = [a, b].map((scope) =>
    scope.metric(scope.family("n", "d", "gauge"), labels(one), []),
  );
  a.increment(first ?? 0, 2);
  b.increment(second ?? 0, 3);
  expect(a.value(first ?? 0)).toBe(5);
  expect(metrics.families()).toEqual([
    { name: "n", description: "d", kind: "gauge", metrics: [{ labels: [["of", "all"]], value: 5 }] },
  ]);
});

test("a metric is removed when the last process that has it exits", () => {
  const metrics = createCustomMetrics();
  const [a, b] = [metrics.open(), metrics.open()];
  const family = a.family("n", "d", "gauge");
  a.metric(family, labels(one), []);
  b.metric(b.family("n", "d", "gauge"), labels(one), []);
  a.release(family);
  expect(metrics.families()).toHaveLength(1);
  b.close();
  expect(metrics.families()).toEqual([]);
});

test("labels are sorted by name; a histogram counts the values up to each bound", () => {
  const metrics = createCustomMetrics();
  const scope = metrics.open();
  const metric = scope.metric(scope.family("n", "d", "histogram"), labels({ b: "2", a: "1" }), [1, 5]);
  for (const value of [0.5, 1, 3, 10]) scope.observe(metric, value);
  expect(metrics.families()[0]?.metrics).toEqual([
    {
      labels: [
        ["a", "1"],
        ["b", "2"],
      ],
      value: 14.5,
      count: 4,
      buckets: [
        { bound: 1, count: 2 },
        { bound: 5, count: 3 },
        { bound: Number.POSITIVE_INFINITY, count: 4 },
      ],
    },
  ]);
});

// The conformance suite does not compare this with a real Triton, because several of these cases crash its
// process. The messages are from Triton core.
describe("unsupported operations on a metric are refused", () => {
  const scope = createCustomMetrics().open();
  const counter = scope.metric(scope.family("counter", "d", "counter"), labels({}), []);
  const histogram = scope.metric(scope.family("histogram", "d", "histogram"), labels({}), [1]);
  test.each<readonly [string, () => unknown]>([
    ["TRITONSERVER_METRIC_KIND_COUNTER does not support Set", () => scope.set(counter, 1)],
    [
      "TRITONSERVER_METRIC_KIND_COUNTER can only be incremented monotonically by non-negative values.",
      () => scope.increment(counter, -1),
    ],
    ["TRITONSERVER_METRIC_KIND_COUNTER does not support Observe", () => scope.observe(counter, 1)],
    ["TRITONSERVER_METRIC_KIND_HISTOGRAM does not support Increment", () => scope.increment(histogram, 1)],
    ["Invalid metric name", () => scope.family("1bad", "d", "counter")],
    ["Family name already exists with different type", () => scope.family("counter", "d", "gauge")],
    [
      "Invalid label name",
      () => scope.metric(scope.family("counter", "d", "counter"), labels({ "a-b": "" }), []),
    ],
    ["the metric has been deleted", () => scope.increment(99, 1)],
  ])("%s", (text, act) => {
    expect(act).toThrow(text);
  });
});
