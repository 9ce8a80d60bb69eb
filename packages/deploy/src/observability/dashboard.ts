import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  VariableRefresh,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { GraphDrawStyle, StackingMode, StackingConfigBuilder } from "@grafana/grafana-foundation-sdk/common";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import { present } from "@tritype/core";
import { type DeployedBuild, shortName } from "../deployed-build.ts";
import { membersOf, modelsRunByCode, servedGroups } from "../served-groups.ts";
import { cacheHitShare, matchers, queuePerRequest, rateBy } from "./metrics.ts";
import { cachingModels } from "./model-sets.ts";

interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** A query with a series for each model. */
const byModel = (expr: string): Query => ({ expr, legend: "{{model}}" });

/** One panel: its question in plain words, and the queries that answer it. */
interface Panel {
  readonly title: string;
  readonly description: string;
  /** A unit in Grafana. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Whether the series are parts of a whole. */
  readonly stacked?: true;
}

/** The dashboard of a model that clients call, as Grafana imports it. */
export const dashboard = (build: DeployedBuild, model: string): string => {
  const builder = new DashboardBuilder(`Triton: ${model}`)
    .uid(uidOf(model))
    .tags(["tritype", "triton"])
    .description(`Which step of ${model} is slow. Written by \`pipeline deploy\`, which overwrites it.`)
    .refresh("30s")
    .time({ from: "now-1h", to: "now" })
    .withVariable(new DatasourceVariableBuilder("datasource").type("prometheus"));
  for (const [index, label] of labels.entries())
    builder.withVariable(
      labelVariable(
        label,
        `label_values(nv_inference_request_success{${[`model="${model}"`, ...chosen.slice(0, index)].join(",")}}, ${label})`,
      ),
    );
  const rows = rowNames(build, model);
  for (const panel of panelsOf(build, model)) {
    const drawnPanel = drawn(panel);
    for (const [name, value] of rows) drawnPanel.overrideByName(name, [{ id: "displayName", value }]);
    builder.withPanel(drawnPanel);
  }
  return `${JSON.stringify(builder.build(), null, 2)}\n`;
};

/** Names for the rows of models that contain other steps, which Triton does not measure one by one. */
const rowNames = (build: DeployedBuild, model: string): readonly (readonly [string, string])[] =>
  membersOf(model, build).flatMap((member) => {
    const fused = build.manifest.models.find(({ name }) => name === member)?.fused ?? [];
    return fused.length === 0 ? [] : [[member, `${member} with ${fused.join(", ")}`] as const];
  });

/** In Grafana, at most 40 letters, digits, `-` and `_`. A name that does not fit is replaced by its beginning and its hash. */
const uidOf = (model: string): string => {
  const name = `tritype-${model}`;
  if (/^[\w-]{1,40}$/.test(name)) return name;
  return shortName(name.replaceAll(/[^\w-]/g, "_"), model);
};

/** The panels of a dashboard, and their queries. */
const panelsOf = (build: DeployedBuild, model: string): readonly Panel[] => {
  const members = membersOf(model, build);
  const group = servedGroups(build).find(({ called }) => called.includes(model));
  const [own, steps] = [matchers([model], selector), matchers(members, selector)];
  const rate = rateBy("model", "$__rate_interval", selector);
  const cached = cachingModels(build).filter((name) => name === model || members.includes(name));
  const each = (metric: string, over: string, divisor = 1): string =>
    `${rate(metric, members)} / ${rate(over, members)}${divisor === 1 ? "" : ` / ${divisor}`}`;
  return present<Panel>(
    {
      title: "Requests",
      description: modelsRunByCode(build).has(model)
        ? "Answered and failed requests per second, including calls from flows and Python models."
        : "Answered and failed requests per second.",
      unit: "reqps",
      queries: [
        { expr: `sum(rate(nv_inference_request_success{${own}}[$__rate_interval]))`, legend: "answered" },
        { expr: `sum(rate(nv_inference_request_failure{${own}}[$__rate_interval]))`, legend: "failed" },
      ],
    },
    {
      title: "Latency by step",
      description: "Average time of a request in the model and in each step, including the queue.",
      unit: "ms",
      queries: [
        {
          expr: `sum(rate(nv_inference_request_duration_us{${own}}[$__rate_interval])) / sum(rate(nv_inference_request_success{${own}}[$__rate_interval])) / 1000`,
          legend: `${model} (all steps)`,
        },
        byModel(each("nv_inference_request_duration_us", "nv_inference_request_success", 1000)),
      ],
    },
    {
      title: "Share of each step",
      description:
        "Where requests spend their time, including the queue. The largest step is the one to speed up.",
      unit: "percentunit",
      stacked: true,
      queries: [
        byModel(
          `${rate("nv_inference_request_duration_us", members)} / ignoring (model) group_left sum(rate(nv_inference_request_duration_us{${steps}}[$__rate_interval]))`,
        ),
      ],
    },
    {
      title: "Queue by step",
      description: "Average wait before a step runs, including its batching delay.",
      unit: "ms",
      queries: [byModel(each("nv_inference_queue_duration_us", "nv_inference_request_success", 1000))],
    },
    group !== undefined && {
      title: "Queue beyond the batching delays",
      description:
        "The metric for autoscaling: wait in all steps of a request, without the batching delays. If code calls a model more than once, one call counts.",
      unit: "ms",
      queries: [{ expr: queuePerRequest(group, selector), legend: "{{pod}} {{instance}}" }],
    },
    {
      title: "Batch size",
      description: "Rows per execution. If this is 1 under load, no batches form.",
      unit: "short",
      queries: [byModel(each("nv_inference_count", "nv_inference_exec_count"))],
    },
    {
      title: "Compute by step",
      description: "Average time of one execution, regardless of its batch size.",
      unit: "ms",
      queries: [
        byModel(each("nv_inference_compute_infer_duration_us", "nv_inference_request_success", 1000)),
      ],
    },
    {
      title: "Waiting requests",
      description: "Largest number of requests in the queue of a step.",
      unit: "short",
      queries: [
        byModel(
          `max by (model) (max_over_time(nv_inference_pending_request_count{${steps}}[$__rate_interval]))`,
        ),
      ],
    },
    cached.length > 0 && {
      title: "Answers from the cache",
      description: "Share of requests that the response cache answers.",
      unit: "percentunit",
      queries: [byModel(cacheHitShare(rate, cached))],
    },
  );
};

/** Grafana's variables, each with all values selected by default; outside Kubernetes, servers only have an instance. */
const labels = ["namespace", "pod", "instance"];
const chosen = labels.map((label) => `${label}=~"$${label}"`);
const selector = chosen.join(",");

const source = { type: "prometheus", uid: "$datasource" };

const labelVariable = (name: string, query: string): QueryVariableBuilder =>
  new QueryVariableBuilder(name)
    .datasource(source)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .multi(true)
    .includeAll(true)
    .allValue(".*")
    .current({ text: "All", value: "$__all" });

const drawn = ({ title, description, unit, queries, stacked }: Panel): PanelBuilder => {
  const panel = new PanelBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .unit(unit)
    .min(0)
    .height(8)
    .span(12)
    .drawStyle(GraphDrawStyle.Line)
    .fillOpacity(stacked ? 40 : 0)
    .targets(
      queries.map(({ expr, legend }) =>
        new DataqueryBuilder().expr(expr).legendFormat(legend).datasource(source).range(),
      ),
    );
  return stacked ? panel.max(1).stacking(new StackingConfigBuilder().mode(StackingMode.Normal)) : panel;
};
