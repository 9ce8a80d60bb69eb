import { freemem, totalmem } from "node:os";
import { printSample } from "./print-sample.ts";
import type {
  CustomMetric,
  MetricFamily,
  ResponseCacheCounts,
  Runtime,
  VersionStatistics,
} from "@tritype/runtime";

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly value: (statistics: VersionStatistics) => number;
}

const microseconds = (ns: number): number => Math.floor(ns / 1000);
const duration = (name: string, help: string, of: keyof VersionStatistics["inference_stats"]): Metric => ({
  name: `nv_inference_${name}_duration_us`,
  help: `Cumulative ${help} in microseconds`,
  type: "counter",
  value: ({ inference_stats }) => microseconds(inference_stats[of].ns),
});

/** Triton's names. Source: the metrics guide of Triton's documentation. */
const metrics: readonly Metric[] = [
  {
    name: "nv_inference_request_success",
    help: "Number of requests that were answered, whatever their batch size",
    type: "counter",
    value: ({ inference_stats }) => inference_stats.success.count,
  },
  {
    name: "nv_inference_count",
    help: "Number of rows that were answered",
    type: "counter",
    value: ({ inference_count }) => inference_count,
  },
  {
    name: "nv_inference_exec_count",
    help: "Number of executions of the model",
    type: "counter",
    value: ({ execution_count }) => execution_count,
  },
  duration("request", "time of requests from arrival to answer", "success"),
  duration("queue", "time of requests in the queue", "queue"),
  duration("compute_input", "time to prepare inputs", "compute_input"),
  duration("compute_infer", "time in the model", "compute_infer"),
  duration("compute_output", "time to take outputs", "compute_output"),
  {
    name: "nv_inference_pending_request_count",
    help: "Number of requests that wait for an execution",
    type: "gauge",
    value: ({ pending }) => pending,
  },
];
/** Of models with a response cache. */
const cacheMetrics: readonly Metric[] = [
  {
    name: "nv_cache_num_hits_per_model",
    help: "Number of requests that were answered from the cache",
    type: "counter",
    value: ({ inference_stats }) => inference_stats.cache_hit.count,
  },
  {
    name: "nv_cache_hit_duration_per_model",
    help: "Cumulative time to answer from the cache in microseconds",
    type: "counter",
    value: ({ inference_stats }) => microseconds(inference_stats.cache_hit.ns),
  },
  {
    name: "nv_cache_num_misses_per_model",
    help: "Number of requests whose answer was not in the cache",
    type: "counter",
    value: ({ inference_stats }) => inference_stats.cache_miss.count,
  },
  {
    name: "nv_cache_miss_duration_per_model",
    help: "Cumulative time to look up and to keep answers in microseconds",
    type: "counter",
    value: ({ inference_stats }) => microseconds(inference_stats.cache_miss.ns),
  },
];
const reasons = ["BACKEND", "CANCELED", "OTHER", "REJECTED"] as const;

/** Prometheus' text format, with Triton's names and labels. */
export const printMetrics = (runtime: Runtime): string => {
  const versions = runtime.statistics();
  const families = (all: readonly Metric[], of: readonly VersionStatistics[]): readonly string[] =>
    all.map(({ name, help, type, value }) =>
      family(
        name,
        help,
        type,
        of.map((one) => [labels({ model: one.name, version: one.version }), value(one)]),
      ),
    );
  const models = families(metrics, versions);
  const cached = versions.filter(({ cached: isCached }) => isCached);
  const cache = cached.length === 0 ? [] : families(cacheMetrics, cached);
  const failures = family(
    "nv_inference_request_failure",
    "Number of requests that failed, by reason",
    "counter",
    versions.flatMap((one) =>
      reasons.map((reason) => [
        labels({ model: one.name, reason, version: one.version }),
        one.failures.get(reason) ?? 0,
      ]),
    ),
  );
  const memory = [
    family("nv_cpu_memory_total_bytes", "Memory of the machine, in bytes", "gauge", [["", totalmem()]]),
    family("nv_cpu_memory_used_bytes", "Memory of the machine that is in use, in bytes", "gauge", [
      ["", totalmem() - freemem()],
    ]),
  ];
  const custom = runtime.customMetrics().map(printCustom);
  return [
    ...models.slice(0, 1),
    failures,
    ...models.slice(1),
    ...cache,
    ...printCache(runtime.cacheCounts()),
    ...memory,
    ...custom,
  ].join("");
};

/** The metrics of the cache itself. */
const printCache = (counts: ResponseCacheCounts | undefined): readonly string[] =>
  counts === undefined
    ? []
    : (
        [
          ["util", "Share of the cache that is in use, 0 to 1", counts.used],
          ["num_entries", "Number of answers in the cache", counts.entries],
          ["num_hits", "Number of lookups that found an answer", counts.hits],
          ["num_misses", "Number of lookups that found none", counts.misses],
          ["num_lookups", "Number of lookups", counts.lookups],
          ["num_evictions", "Number of answers that made room for others", counts.evictions],
        ] as const
      ).map(([name, help, value]) => family(`nv_cache_${name}`, help, "gauge", [["", value]]));

/** The models' own metrics. */
const printCustom = ({ name, description, kind, metrics }: MetricFamily): string => {
  const samples = metrics.flatMap(({ labels: own, value, count, buckets }) => {
    const labelled = labels(Object.fromEntries(own));
    if (buckets === undefined) return [`${name}${labelled} ${printSample(value)}`];
    return [
      `${name}_count${labelled} ${count ?? 0}`,
      `${name}_sum${labelled} ${printSample(value)}`,
      ...buckets.map((bucket) => printBucket(name, own, bucket)),
    ];
  });
  return [`# HELP ${name} ${description}`, `# TYPE ${name} ${kind}`, ...samples, ""].join("\n");
};

const printBucket = (
  name: string,
  own: CustomMetric["labels"],
  { bound, count }: { readonly bound: number; readonly count: number },
): string => {
  const le = printSample(bound);
  return `${name}_bucket${labels({ ...Object.fromEntries(own), le })} ${count}`;
};

type Sample = readonly [labels: string, value: number];

const family = (name: string, help: string, type: string, samples: readonly Sample[]): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([label, value]) => `${name}${label} ${value}`),
    "",
  ].join("\n");

const labels = (values: Readonly<Record<string, string>>): string =>
  Object.keys(values).length === 0
    ? ""
    : `{${Object.entries(values)
        .map(([name, value]) => `${name}="${escaped(value)}"`)
        .join(",")}}`;

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
