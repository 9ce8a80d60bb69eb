import { printSample } from "./print-sample.ts";
import type { VersionStatistics } from "@tritype/runtime";

type Summarized = keyof NonNullable<VersionStatistics["summaries"]>;

/** Only for models without a response cache: with one, Triton leaves out the durations of whole requests. */
const request = [
  "nv_inference_request_summary_us",
  "Summary of inference request duration in microseconds (includes cached requests)",
  "success",
] as const;
const parts: readonly Family[] = [
  [
    "nv_inference_queue_summary_us",
    "Summary of inference queuing duration in microseconds (includes cached requests)",
    "queue",
  ],
  [
    "nv_inference_compute_input_summary_us",
    "Cumulative compute input duration in microseconds (does not include cached requests)",
    "compute_input",
  ],
  [
    "nv_inference_compute_infer_summary_us",
    "Cumulative compute inference duration in microseconds (does not include cached requests)",
    "compute_infer",
  ],
  [
    "nv_inference_compute_output_summary_us",
    "Cumulative inference compute output duration in microseconds (does not include cached requests)",
    "compute_output",
  ],
];
const ofCache: readonly Family[] = [
  [
    "nv_cache_hit_summary_per_model",
    "Summary of cache hit counts/durations per model, in microseconds.",
    "cache_hit",
  ],
  [
    "nv_cache_miss_summary_per_model",
    "Summary of cache miss counts/durations per model, in microseconds.",
    "cache_miss",
  ],
];
type Family = readonly [name: string, help: string, of: Summarized];

/** The summaries of durations, with Triton's names, descriptions and labels. */
export const printSummaries = (versions: readonly VersionStatistics[]): readonly string[] => {
  const kept = versions.filter(({ summaries }) => summaries !== undefined);
  const cached = kept.filter((one) => one.cached);
  return [
    printFamily(
      request,
      kept.filter((one) => !one.cached),
    ),
    ...parts.map((part) => printFamily(part, kept)),
    ...ofCache.map((part) => printFamily(part, cached)),
  ];
};

const printFamily = ([name, help, of]: Family, versions: readonly VersionStatistics[]): string => {
  const samples = versions.flatMap((version) => {
    const { count = 0, sum = 0, quantiles = [] } = version.summaries?.[of] ?? {};
    const own = labelsOf(version);
    return [
      `${name}_count${labels(own)} ${count}`,
      `${name}_sum${labels(own)} ${printSample(sum)}`,
      ...quantiles.map(
        ([quantile, value]) =>
          `${name}${labels({ ...own, quantile: printSample(quantile) })} ${printSample(value)}`,
      ),
    ];
  });
  return samples.length === 0
    ? ""
    : [`# HELP ${name} ${help}`, `# TYPE ${name} summary`, ...samples, ""].join("\n");
};

/**
 * The labels of a version's metrics, sorted by name, as in Triton. Source: `GetMetricLabels` of Triton core.
 * @param others Further ones among them.
 */
export const labelsOf = (
  { name, version, tags = {} }: VersionStatistics,
  others: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => {
  const tagged = Object.entries(tags).map(([tag, value]) => [`_${tag}`, value] as const);
  const all = [...tagged, ...Object.entries({ model: name, version, ...others })];
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** `{model="m",version="1"}` */
export const labels = (values: Readonly<Record<string, string>>): string =>
  Object.keys(values).length === 0
    ? ""
    : `{${Object.entries(values)
        .map(([name, value]) => `${name}="${escaped(value)}"`)
        .join(",")}}`;

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
