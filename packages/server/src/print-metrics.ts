import type { MachineUse } from "./machine-use.ts";
import { labels, labelsOf, printSummaries } from "./print-summaries.ts";
import { printSample } from "./print-sample.ts";
import type {
  CustomMetric,
  MetricFamily,
  ResponseCacheCounts,
  Runtime,
  VersionStatistics,
} from "@tritype/runtime";

type Metric = readonly [name: string, help: string, value: (statistics: VersionStatistics) => number];

export interface MetricsSettings {
  /** `false` leaves out the counters of durations and, as in Triton, keeps all others at 0. Default true. */
  readonly counters?: boolean | undefined;
  /** How busy the machine is; undefined to leave it out. */
  readonly machine?: MachineUse | undefined;
}

const microseconds = (ns: number): number => Math.floor(ns / 1000);
const [included, excluded] = ["(includes cached requests)", "(does not include cached requests)"];

/** Triton's names. Source: the metrics guide of Triton's documentation. */
const metrics: readonly Metric[] = [
  [
    "nv_inference_request_success",
    "Number of successful inference requests, all batch sizes",
    ({ inference_stats }) => inference_stats.success.count,
  ],
  [
    "nv_inference_count",
    `Number of inferences performed ${excluded}`,
    ({ inference_count }) => inference_count,
  ],
  [
    "nv_inference_exec_count",
    `Number of model executions performed ${excluded}`,
    ({ execution_count }) => execution_count,
  ],
];

type Duration = keyof VersionStatistics["inference_stats"];
const durations: readonly Metric[] = (
  [
    ["request", `inference request duration in microseconds ${included}`, "success"],
    ["queue", `inference queuing duration in microseconds ${included}`, "queue"],
    ["compute_input", `compute input duration in microseconds ${excluded}`, "compute_input"],
    ["compute_infer", `compute inference duration in microseconds ${excluded}`, "compute_infer"],
    ["compute_output", `inference compute output duration in microseconds ${excluded}`, "compute_output"],
  ] satisfies readonly (readonly [string, string, Duration])[]
).map(([name, help, of]) => [
  `nv_inference_${name}_duration_us`,
  `Cumulative ${help}`,
  ({ inference_stats }) => microseconds(inference_stats[of].ns),
]);

/** Only for models with a response cache. */
const cacheMetrics: readonly Metric[] = [
  [
    "nv_cache_num_hits_per_model",
    "Number of cache hits per model",
    ({ inference_stats }) => inference_stats.cache_hit.count,
  ],
  [
    "nv_cache_hit_duration_per_model",
    "Total cache hit duration per model, in microseconds",
    ({ inference_stats }) => microseconds(inference_stats.cache_hit.ns),
  ],
  [
    "nv_cache_num_misses_per_model",
    "Number of cache misses per model",
    ({ inference_stats }) => inference_stats.cache_miss.count,
  ],
  [
    "nv_cache_miss_duration_per_model",
    "Total cache miss (insert+lookup) duration per model, in microseconds",
    ({ inference_stats }) => microseconds(inference_stats.cache_miss.ns),
  ],
];

const reasons = ["BACKEND", "CANCELED", "OTHER", "REJECTED"] as const;

/** Prometheus' text format, with Triton's names, descriptions and labels. */
export const printMetrics = (
  runtime: Runtime,
  { counters = true, machine }: MetricsSettings = {},
): string => {
  const versions = runtime.statistics();
  const cached = versions.filter(({ cached: isCached }) => isCached);
  const families = (all: readonly Metric[], of = versions): readonly string[] =>
    of.length === 0
      ? []
      : all.map(([name, help, value]) =>
          family(
            name,
            help,
            "counter",
            of.map((one) => [labels(labelsOf(one)), counters ? value(one) : 0]),
          ),
        );
  const failures = family(
    "nv_inference_request_failure",
    "Number of failed inference requests, all batch sizes",
    "counter",
    versions.flatMap((one) =>
      reasons.map((reason) => [
        labels(labelsOf(one, { reason })),
        counters ? (one.failures.get(reason) ?? 0) : 0,
      ]),
    ),
  );
  const pending = family(
    "nv_inference_pending_request_count",
    "Instantaneous number of pending requests awaiting execution per-model.",
    "gauge",
    versions.map((one) => [labels(labelsOf(one)), one.pending]),
  );
  const models = families(metrics);
  return [
    ...models.slice(0, 1),
    ...(versions.length === 0 ? [] : [failures]),
    ...models.slice(1),
    ...(counters ? [...families(durations), ...families(cacheMetrics, cached)] : []),
    ...(versions.length === 0 ? [] : [pending]),
    // There is no such pool here, but dashboards may read the metrics.
    gauge("nv_pinned_memory_pool_total_bytes", "Pinned memory pool total memory size, in bytes", 0),
    gauge("nv_pinned_memory_pool_used_bytes", "Pinned memory pool used memory size, in bytes", 0),
    ...(machine === undefined ? [] : printMachine(machine)),
    ...printCache(runtime.cacheCounts()),
    ...printSummaries(versions),
    ...runtime.customMetrics().map(printCustom),
  ].join("");
};

const printMachine = ({ cpu, memory, memoryUsed }: MachineUse): readonly string[] => [
  gauge("nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]", cpu),
  gauge("nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes", memory),
  gauge("nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes", memoryUsed),
];

/** The metrics of the cache itself. */
const printCache = (counts: ResponseCacheCounts | undefined): readonly string[] =>
  counts === undefined
    ? []
    : (
        [
          ["util", "Cache utilization [0.0 - 1.0]", counts.used],
          ["num_entries", "Number of responses stored in response cache", counts.entries],
          ["num_hits", "Number of cache hits in response cache", counts.hits],
          ["num_misses", "Number of cache misses in response cache", counts.misses],
          ["num_lookups", "Number of cache lookups in response cache", counts.lookups],
          ["num_evictions", "Number of cache evictions in response cache", counts.evictions],
          [
            "lookup_duration",
            "Total cache lookup duration (hit and miss), in microseconds",
            Math.round(counts.lookupTime),
          ],
          [
            "insertion_duration",
            "Total cache insertion duration, in microseconds",
            Math.round(counts.insertionTime),
          ],
        ] as const
      ).map(([name, help, value]) => gauge(`nv_cache_${name}`, help, value));

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
  const help = description === "" ? [] : [`# HELP ${name} ${description}`];
  return [...help, `# TYPE ${name} ${kind}`, ...samples, ""].join("\n");
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
    ...samples.map(([label, value]) => `${name}${label} ${printSample(value)}`),
    "",
  ].join("\n");

const gauge = (name: string, help: string, value: number): string =>
  family(name, help, "gauge", [["", value]]);
