import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { type MetricsConfig, metricsOf } from "./metrics-options.ts";

const metrics = (...args: readonly string[]): MetricsConfig => metricsOf(givenTo("dev", ...args));

test("Triton's defaults", () => {
  expect(metrics()).toEqual({
    shown: { counters: true, machineInterval: 2000 },
    summaryQuantiles: undefined,
  });
  expect(metrics("--metrics-config=summary_latencies=true").summaryQuantiles).toEqual([
    0.5, 0.9, 0.95, 0.99, 0.999,
  ]);
});

test("each setting", () => {
  expect(
    metrics(
      "--metrics-config=counter_latencies=false",
      "--metrics-config=summary_latencies=true",
      "--metrics-config=summary_quantiles=0.5:0.05,.75:0.01,1:0.1",
      "--metrics-interval-ms=500",
      "--allow-gpu-metrics=false",
    ),
  ).toEqual({ shown: { counters: false, machineInterval: 500 }, summaryQuantiles: [0.5, 0.75, 1] });
  expect(metrics("--metrics-config=summary_quantiles=0.5:0.05").summaryQuantiles).toBeUndefined();
  expect(metrics("--allow-cpu-metrics=false").shown.machineInterval).toBeUndefined();
});

test.each([
  ["--metrics-config=foo", "--metrics-config option format is <setting>=<value>. Got foo"],
  ["--metrics-config=a,b=c", "--metrics-config option format is <setting>=<value>. Got a,b=c"],
  ["--metrics-config=foo=", "--metrics-config option format is <setting>=<value>. Got foo="],
  ["--metrics-config=histogram_latencies=true", "--metrics-config is histogram_latencies=true"],
  ["--metrics-config=summary_latencies=yes", "--metrics-config is summary_latencies=yes"],
  ["--metrics-config=summary_quantiles=0.5", "--metrics-config summary_quantiles has 0.5"],
  ["--metrics-config=summary_quantiles=1.5:0.1", "--metrics-config summary_quantiles has 1.5:0.1"],
  ["--metrics-interval-ms=0", "--metrics-interval-ms is 0"],
  ["--allow-cpu-metrics=maybe", "--allow-cpu-metrics is maybe"],
  ["--allow-gpu-metrics=true", "--allow-gpu-metrics is true"],
])("%s is refused", (written, words) => {
  expect(() => metrics(written)).toThrow(words);
});
