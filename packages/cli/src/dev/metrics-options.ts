import type { MetricsOptions } from "@tritype/server";
import { type Given, usage } from "../command.ts";
import { trueOrFalse } from "./true-or-false.ts";

export interface MetricsConfig {
  /** For the metrics' server. */
  readonly shown: Pick<MetricsOptions, "counters" | "machineInterval">;
  /** For the runtime. */
  readonly summaryQuantiles: readonly number[] | undefined;
}

/** Triton's default. */
const defaultQuantiles = [0.5, 0.9, 0.95, 0.99, 0.999];

/**
 * `--metrics-config`, `--metrics-interval-ms`, `--allow-cpu-metrics` and `--allow-gpu-metrics`.
 * @throws PipelineError `usage/invalid`, even for settings that Triton only logs or ignores.
 */
export const metricsOf = (given: Given): MetricsConfig => {
  const settings = new Map(given.texts("metrics-config").map(settingOf));
  const flag = (name: string, byDefault: boolean): boolean => {
    const written = settings.get(name) ?? String(byDefault);
    if (written !== "true" && written !== "false")
      throw usage(`--metrics-config is ${name}=${written}`, `use ${name}=true or ${name}=false`);
    return written === "true";
  };
  if (trueOrFalse(given, "allow-gpu-metrics", false))
    throw usage("--allow-gpu-metrics is true", "the local server does not measure GPUs: leave it out");
  const quantiles = settings.get("summary_quantiles")?.split(",").map(quantileOf) ?? defaultQuantiles;
  const interval = given.integer("metrics-interval-ms", [1, 2 ** 31 - 1]) ?? 2000;
  return {
    shown: {
      counters: flag("counter_latencies", true),
      machineInterval: trueOrFalse(given, "allow-cpu-metrics", true) ? interval : undefined,
    },
    summaryQuantiles: flag("summary_latencies", false) ? quantiles : undefined,
  };
};

const known = ["counter_latencies", "summary_latencies", "summary_quantiles"];

const settingOf = (written: string): readonly [string, string] => {
  const [, name, value] = /^([^=,]+)=(.+)$/s.exec(written) ?? [];
  if (name === undefined || value === undefined)
    throw usage(
      `--metrics-config option format is <setting>=<value>. Got ${written}`,
      "for example summary_latencies=true",
    );
  if (!known.includes(name))
    throw usage(
      `--metrics-config is ${written}`,
      `Triton 24.10 has no setting ${name}: use ${known.join(", ")}`,
    );
  return [name, value];
};

/** The error margin that can be set in Triton is not needed, because quantiles are accurate to half a percent of their value. */
const quantileOf = (written: string): number => {
  const [, quantile] = /^(0?\.\d+|[01](?:\.0*)?):\d*\.?\d+$/.exec(written) ?? [];
  if (quantile === undefined)
    throw usage(
      `--metrics-config summary_quantiles has ${written}`,
      "use quantiles with their errors, such as summary_quantiles=0.5:0.05,0.99:0.001",
    );
  return Number(quantile);
};
