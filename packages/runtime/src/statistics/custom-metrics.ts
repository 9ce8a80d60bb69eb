import { foreignError, type PipelineError } from "@tritype/core";

export type MetricKind = "counter" | "gauge" | "histogram";

/** Custom metrics of models, as shown in `/metrics`. */
export interface MetricFamily {
  readonly name: string;
  readonly description: string;
  readonly kind: MetricKind;
  readonly metrics: readonly CustomMetric[];
}
export interface CustomMetric {
  /** Sorted by name. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** The value; for a histogram, the sum of the observed values. */
  readonly value: number;
  /** For a histogram: number of observed values up to each bound; the bounds ascend. */
  readonly buckets?: readonly { readonly bound: number; readonly count: number }[];
  /** For a histogram: number of observed values. */
  readonly count?: number;
}

/** The metrics of all models. Families with the same name are merged, as are metrics with equal labels in them. */
export interface CustomMetrics {
  /** All families in the order of their creation; families without a metric are not shown. */
  families(): readonly MetricFamily[];
  /** The metrics for one process of a model. */
  open(): MetricScope;
}

/**
 * The objects of one process; the handles are the process's own numbers. Every refusal is a PipelineError with Triton's
 * message.
 */
export interface MetricScope {
  family(name: string, description: string, kind: MetricKind): number;
  metric(family: number, labels: ReadonlyMap<string, string>, bounds: readonly number[]): number;
  increment(metric: number, value: number): void;
  set(metric: number, value: number): void;
  observe(metric: number, value: number): void;
  value(metric: number): number;
  /** Deletes a family with its metrics. A metric is removed when the last process that reports it ends. */
  release(family: number): void;
  close(): void;
}

interface Metric {
  readonly labels: readonly (readonly [string, string])[];
  readonly buckets: readonly { readonly bound: number; count: number }[];
  value: number;
  count: number;
  users: number;
}
interface Family {
  readonly name: string;
  readonly description: string;
  readonly kind: MetricKind;
  readonly metrics: Map<string, Metric>;
}

/** Source: `MetricFamily` and `Metric` of Triton core, and the underlying registry of prometheus-cpp. */
export const createCustomMetrics = (): CustomMetrics => {
  const families = new Map<string, Family>();
  return {
    families: () =>
      [...families.values()]
        .filter(({ metrics }) => metrics.size > 0)
        .map(({ name, description, kind, metrics }) => ({
          name,
          description,
          kind,
          metrics: [...metrics.values()].map((metric) => describe(kind, metric)),
        })),
    open: () => openScope(families),
  };
};

const describe = (kind: MetricKind, { labels, value, buckets, count }: Metric): CustomMetric =>
  kind === "histogram" ? { labels, value, buckets, count } : { labels, value };

const openScope = (families: Map<string, Family>): MetricScope => {
  const ownFamilies = new Map<number, Family>();
  const ownMetrics = new Map<
    number,
    { readonly family: number; readonly key: string; readonly metric: Metric }
  >();
  let last = 0;

  const familyOf = (handle: number): Family => ownFamilies.get(handle) ?? deleted();
  const use = (handle: number, operation: string, allowed: readonly MetricKind[]): Metric => {
    const own = ownMetrics.get(handle) ?? deleted();
    const { kind } = familyOf(own.family);
    if (!allowed.includes(kind))
      throw refused(`TRITONSERVER_METRIC_KIND_${kind.toUpperCase()} does not support ${operation}`);
    return own.metric;
  };
  const release = (handle: number): void => {
    const family = ownFamilies.get(handle);
    for (const [number, { family: owner, key, metric }] of ownMetrics) {
      if (owner !== handle) continue;
      ownMetrics.delete(number);
      if (--metric.users === 0) family?.metrics.delete(key);
    }
    ownFamilies.delete(handle);
  };

  return {
    family: (name, description, kind) => {
      if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw refused("Invalid metric name");
      const known = families.get(name) ?? { name, description, kind, metrics: new Map<string, Metric>() };
      if (known.kind !== kind) throw refused("Family name already exists with different type");
      families.set(name, known);
      ownFamilies.set(++last, known);
      return last;
    },
    metric: (handle, given, bounds) => {
      const family = familyOf(handle);
      const labels = [...given].toSorted(([a], [b]) => (a < b ? -1 : 1));
      if (labels.some(([name]) => !/^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)))
        throw refused("Invalid label name");
      const key = JSON.stringify(labels);
      const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound) => ({ bound, count: 0 }));
      const metric = family.metrics.get(key) ?? { labels, buckets, value: 0, count: 0, users: 0 };
      metric.users++;
      family.metrics.set(key, metric);
      ownMetrics.set(++last, { family: handle, key, metric });
      return last;
    },
    increment: (handle, value) => {
      const metric = use(handle, "Increment", ["counter", "gauge"]);
      if (value < 0 && familyOf((ownMetrics.get(handle) ?? deleted()).family).kind === "counter")
        throw refused(
          "TRITONSERVER_METRIC_KIND_COUNTER can only be incremented monotonically by non-negative values.",
        );
      metric.value += value;
    },
    set: (handle, value) => {
      use(handle, "Set", ["gauge"]).value = value;
    },
    observe: (handle, value) => {
      const metric = use(handle, "Observe", ["histogram"]);
      metric.value += value;
      metric.count++;
      for (const bucket of metric.buckets) if (value <= bucket.bound) bucket.count++;
    },
    value: (handle) => use(handle, "Value", ["counter", "gauge"]).value,
    release,
    close: () => {
      for (const handle of ownFamilies.keys()) release(handle);
    },
  };
};

const refused = (text: string): PipelineError => foreignError("request/invalid", text);
const deleted = (): never => {
  throw refused("the metric has been deleted");
};
