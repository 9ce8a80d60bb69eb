import { present } from "@tritype/core";
import type { DeployedBuild } from "../deployed-build.ts";
import { modelsRunByCode, type ServedGroup, servedGroups, servedModels } from "../served-groups.ts";
import { yamlText } from "../yaml-text.ts";
import {
  cacheHitShare,
  matchers,
  queueMetric,
  queuePerRequest,
  type Rate,
  rateBy,
  serverLabels,
} from "./metrics.ts";
import { batchingModels, cachingModels } from "./model-sets.ts";

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The rules of one build, for Prometheus. */
const ruleGroups = (build: DeployedBuild): { readonly groups: readonly object[] } => ({
  groups: [
    {
      name: "tritype-queues",
      rules: servedGroups(build).map(
        (group): Rule => ({ record: queueMetric(group), expr: queuePerRequest(group) }),
      ),
    },
    { name: "tritype-alerts", rules: alerts(build) },
  ],
});

/** `observability/rules.yaml` */
export const rulesFile = (build: DeployedBuild): string =>
  `# Recording and alerting rules of this build, for metrics that are scraped at least every 30 s. Written by \`pipeline deploy\`, which overwrites it.\n${yamlText(ruleGroups(build))}`;

const alerts = (build: DeployedBuild): readonly Rule[] => {
  const groups = servedGroups(build);
  const called = groups.flatMap((group) => group.called);
  const served = servedModels(groups);
  const batching = batchingModels(build);
  const caching = cachingModels(build);
  const byCode = modelsRunByCode(build);
  const handled = called.filter((model) => byCode.has(model));
  const batched = (metric: string): string => eachModel("10m")(metric, batching);
  return [
    ...groups.map((group) =>
      alert(
        "TritonQueueing",
        "5m",
        { severity: "warning", ensemble: group.called.join(",") },
        `${queueMetric(group)} > 100`,
        'Requests wait {{ $value | printf "%.0f" }} ms in queues of {{ or $labels.pod $labels.instance }}',
        queueingAdvice(group),
      ),
    ),
    ...present(
      alert(
        "TritonFailures",
        "5m",
        { severity: "critical" },
        failing(called.filter((model) => !byCode.has(model))),
        "{{ $value | humanizePercentage }} of the requests to {{ $labels.model }} fail on {{ or $labels.pod $labels.instance }}",
      ),
      handled.length > 0 &&
        alert(
          "TritonCalleeFailures",
          "5m",
          { severity: "warning" },
          failing(handled),
          "{{ $value | humanizePercentage }} of the requests and calls to {{ $labels.model }} fail on {{ or $labels.pod $labels.instance }}",
        ),
      alert(
        "TritonServerDown",
        "5m",
        { severity: "critical" },
        `up == 0 and on (${serverLabels}) last_over_time(${seriesOf(called)}[1h]) or absent(${seriesOf(called)})`,
        '{{ or $labels.pod $labels.instance "Every server" }} is down, or does not answer Prometheus',
      ),
      alert(
        "TritonModelNotServed",
        "5m",
        { severity: "critical" },
        `count by (${serverLabels}) (count by (${serverLabels}, model) (${seriesOf(served)})) < ${served.length} unless on (${serverLabels}) ${ofAnotherPipeline(called, served)}`,
        "{{ or $labels.pod $labels.instance }} serves only {{ $value }} of the build's models",
      ),
      batching.length > 0 &&
        alert(
          "TritonBatchesDoNotForm",
          "10m",
          { severity: "warning" },
          `${batched("nv_inference_count")} / ${batched("nv_inference_exec_count")} < 1.1 and ${batched("nv_inference_queue_duration_us")} / ${batched("nv_inference_request_success")} > 50000`,
          "{{ $labels.model }} on {{ or $labels.pod $labels.instance }} runs queued requests one by one",
        ),
      caching.length > 0 &&
        alert(
          "TritonCacheMisses",
          "30m",
          { severity: "info" },
          `${cacheHitShare(eachModel("30m"), caching)} < 0.01`,
          "The response cache of {{ $labels.model }} answers almost nothing on {{ or $labels.pod $labels.instance }}",
        ),
    ),
  ];
};

/** The description of each alert, next to its summary; "" for an alert with a description for each group of models. */
export const advice = {
  TritonQueueing: "",
  TritonFailures:
    "nv_inference_request_failure has the reason; `pipeline explain` explains a line of the server's log.",
  TritonCalleeFailures:
    "A flow or Python model calls it and may handle the failures; requests that clients send to it fail.",
  TritonServerDown: "A server exits if a model cannot be loaded: see its log.",
  TritonModelNotServed: "A model is not loaded: see the server's log.",
  TritonBatchesDoNotForm:
    "Its requests probably have different shapes, which Triton does not batch: see `batchBy` and allow_ragged_batch.",
  TritonCacheMisses:
    "Requests do not repeat, or the cache is too small: raise server.cacheBytes, or turn the cache off.",
} as const;

export const queueingAdvice = ({ called }: Pick<ServedGroup, "called">): string =>
  `The members of ${called.join(", ")} have more requests than they can run. Add servers or instances; the dashboard shows which step queues.`;

/** @param time How long the condition must hold. */
const alert = (
  name: keyof typeof advice,
  time: string,
  labels: Readonly<Record<string, string>>,
  expr: string,
  summary: string,
  description: string = advice[name],
): Rule => ({ alert: name, expr, for: time, labels, annotations: { summary, description } });

/**
 * PromQL: the servers with models that the build lacks and without any model that its clients call. Pipelines often share names of
 * steps. Triton loads no ensemble without its members, so a server of this build may also lack all ensembles. If it is
 * shared with another pipeline too, it is left out; a server that only has models with the names of steps counts.
 */
const ofAnotherPipeline = (called: readonly string[], served: readonly string[]): string =>
  `(nv_inference_request_success{${matchers(served, "", "!~")}} unless on (${serverLabels}) ${seriesOf(called)})`;

/** PromQL: a series for each of these models on each server. */
const seriesOf = (models: readonly string[]): string => `nv_inference_request_success{${matchers(models)}}`;

/** A client that gives up is not a failure of the server. */
const failing = (models: readonly string[]): string => {
  const failed = eachModel("5m", 'reason!="CANCELED"')("nv_inference_request_failure", models);
  return `${failed} / (${failed} + ${eachModel("5m")("nv_inference_request_success", models)}) > 0.01`;
};

const eachModel = (window: string, selector?: string): Rate =>
  rateBy(`${serverLabels}, model`, window, selector);
