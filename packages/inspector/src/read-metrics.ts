import { bytesText } from "./view/texts.ts";

/** Values that are in a server's metrics, but not in its statistics. */
export interface MetricFigures {
  /** Requests that wait for an execution, by "<model> <version>". */
  readonly pending: ReadonlyMap<string, number>;
  /** Statistics about the machine, such as "GPU memory 3.1 GB of 24 GB". */
  readonly facts: readonly string[];
}

/** Triton's metrics that the page shows, from the Prometheus text of `/metrics`. */
export const readMetrics = (text: string): MetricFigures => {
  const samples = text.split("\n").flatMap(readSample);
  const valuesOf = (name: string): readonly number[] =>
    samples.flatMap((one) => (one.name === name ? [one.value] : []));
  const total = (name: string): number => valuesOf(name).reduce((sum, value) => sum + value, 0);
  const memory = (what: string, prefix: string): readonly string[] =>
    total(`${prefix}_total_bytes`) === 0
      ? []
      : [
          `${what} ${bytesText(total(`${prefix}_used_bytes`))} of ${bytesText(total(`${prefix}_total_bytes`))}`,
        ];
  const use = (what: string, values: readonly number[]): readonly string[] =>
    values.length === 0
      ? []
      : [`${what} ${values.map((value) => `${Math.round(value * 100)} %`).join(", ")}`];
  return {
    pending: new Map(
      samples.flatMap(({ name, labels, value }) =>
        name === "nv_inference_pending_request_count"
          ? [[`${labels.get("model") ?? ""} ${labels.get("version") ?? ""}`, value] as const]
          : [],
      ),
    ),
    facts: [
      ...use("processors", valuesOf("nv_cpu_utilization")),
      ...memory("memory", "nv_cpu_memory"),
      ...use("GPU", valuesOf("nv_gpu_utilization")),
      ...memory("GPU memory", "nv_gpu_memory"),
    ],
  };
};

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** A line of the text format; comments and anything else are ignored. */
const readSample = (line: string): readonly Sample[] => {
  const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? ([^ ]+)/.exec(line) ?? [];
  if (name === undefined || Number.isNaN(Number(value))) return [];
  const pairs = [...labels.matchAll(/(\w+)="([^"\\]*(?:\\.[^"\\]*)*)"/g)];
  return [
    {
      name,
      labels: new Map(pairs.map(([, key = "", text = ""]) => [key, text.replaceAll(/\\(.)/g, "$1")])),
      value: Number(value),
    },
  ];
};
