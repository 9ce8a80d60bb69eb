import { present } from "@tritype/core";
import type { DeployedBuild } from "../deployed-build.ts";
import { modelsRunByCode, servedGroups, servedModels } from "../served-groups.ts";
import { yamlText } from "../yaml-text.ts";
import { queueMetric } from "./metrics.ts";
import { batchingModels, cachingModels } from "./model-sets.ts";
import { advice, queueingAdvice } from "./rules.ts";

/** `observability/rules.test.yaml`, for `promtool test rules`: a busy server next to an idle one. */
export const rulesTestFile = (build: DeployedBuild): string => {
  const groups = servedGroups(build);
  const called = groups.flatMap((group) => group.called);
  const served = servedModels(groups);
  const byCode = modelsRunByCode(build);
  const steps = served.filter((name) => !called.includes(name));
  const [missing = ""] = [...steps, ...served];
  const [model = ""] = called.filter((name) => !byCode.has(name));
  const [handled] = called.filter((name) => byCode.has(name));
  const [batching] = batchingModels(build);
  const [caching] = cachingModels(build);
  const tests = [
    ...groups.map((group) => {
      const requests = Math.max(
        0.01,
        [...group.weights.values()].reduce((sum, weight) => sum + weight, 0),
      );
      // Each second, the busy server gets one request to each called model, and two calls to every other callee.
      const rates = new Map([
        ...group.callees.map((name) => [name, 2] as const),
        ...group.called.map((name) => [name, 1] as const),
      ]);
      // A request waits for a second in each member.
      const queueOf = (member: string): number =>
        1_000_000 * (group.callees.includes(member) ? Math.max(rates.get(member) ?? 0, requests) : requests);
      const waited = group.members.length * 1000 - group.delayMs;
      return {
        name: `${group.called.join(", ")}: requests wait ${waited} ms on the busy server`,
        interval: "15s",
        input_series: ofPods((pod) => [
          ...group.members.map((member) =>
            series("nv_inference_queue_duration_us", member, pod, pod === "busy" ? 15 * queueOf(member) : 0),
          ),
          ...[...rates].map(([name, rate]) =>
            series("nv_inference_request_success", name, pod, pod === "busy" ? 15 * rate : 0),
          ),
        ]),
        promql_expr_test: [
          {
            // Prometheus computes with floating-point numbers, which promtool compares exactly.
            expr: `round(${queueMetric(group)}, 0.001)`,
            eval_time: "5m",
            exp_samples: [
              { labels: labelsOf("busy"), value: waited },
              { labels: labelsOf("idle"), value: 0 },
            ],
          },
        ],
        alert_rule_test: [
          firing(
            "TritonQueueing",
            "10m",
            { severity: "warning", ensemble: group.called.join(",") },
            `Requests wait ${waited.toFixed(0)} ms in queues of busy`,
            { description: queueingAdvice(group) },
          ),
        ],
      };
    }),
    ...present<object>(
      scenario(
        `half of the requests to ${model} fail`,
        halfFailing(model),
        firing(
          "TritonFailures",
          "15m",
          { model, severity: "critical" },
          `50% of the requests to ${model} fail on busy`,
        ),
      ),
      handled !== undefined &&
        scenario(
          `half of the calls to ${handled} fail, and its callers handle it`,
          halfFailing(handled),
          alertTest("TritonFailures", "15m", []),
          firing(
            "TritonCalleeFailures",
            "15m",
            { model: handled, severity: "warning" },
            `50% of the requests and calls to ${handled} fail on busy`,
          ),
        ),
      scenario(
        "one server has stopped",
        [
          { series: `up${labelsOf("busy")}`, values: "1x20 0x60" },
          { series: `up${labelsOf("idle")}`, values: "1x80" },
          ...served.map((name) => ({
            ...series("nv_inference_request_success", name, "busy", 1),
            values: "0+1x20",
          })),
          ...served.map((name) => series("nv_inference_request_success", name, "idle", 1)),
        ],
        downTest("busy"),
      ),
      scenario("there is no server", [], downTest("Every server", {})),
      scenario(
        `one server serves all models but ${missing}, and one of another pipeline`,
        ofPods((pod) =>
          [...served, foreign].flatMap((name) =>
            name === (pod === "busy" ? missing : foreign)
              ? []
              : [series("nv_inference_request_success", name, pod, 1)],
          ),
        ),
        notServedTest(served.length - 1),
      ),
      scenario(
        "one server serves no ensemble; a server of another pipeline has models with the same names",
        [
          ...ofPods((pod) => steps.map((name) => series("nv_inference_request_success", name, pod, 1))),
          series("nv_inference_request_success", foreign, "idle", 1),
        ],
        notServedTest(steps.length),
      ),
      batching !== undefined &&
        scenario(
          `${batching} runs queued requests one by one`,
          ofPods((pod) => [
            series("nv_inference_count", batching, pod, 150),
            series("nv_inference_exec_count", batching, pod, pod === "busy" ? 150 : 15),
            series("nv_inference_request_success", batching, pod, 150),
            series("nv_inference_queue_duration_us", batching, pod, 15_000_000),
          ]),
          firing(
            "TritonBatchesDoNotForm",
            "30m",
            { model: batching, severity: "warning" },
            `${batching} on busy runs queued requests one by one`,
          ),
        ),
      caching !== undefined &&
        scenario(
          `the cache of ${caching} never hits`,
          ofPods((pod) => [
            series("nv_cache_num_hits_per_model", caching, pod, pod === "busy" ? 0 : 15),
            series("nv_cache_num_misses_per_model", caching, pod, 15),
          ]),
          firing(
            "TritonCacheMisses",
            "90m",
            { model: caching, severity: "info" },
            `The response cache of ${caching} answers almost nothing on busy`,
          ),
        ),
    ),
  ];
  return `# promtool test rules rules.test.yaml. Written by \`pipeline deploy\`, which overwrites it.\n${yamlText(
    { rule_files: ["rules.yaml"], evaluation_interval: "1m", tests },
    { aliasDuplicateObjects: false },
  )}`;
};

/** @param alerts The tests of alerts. */
const scenario = (name: string, input_series: readonly object[], ...alerts: readonly object[]): object => ({
  name,
  interval: "15s",
  input_series,
  alert_rule_test: alerts,
});

const ofPods = (seriesOf: (pod: string) => readonly object[]): readonly object[] =>
  ["busy", "idle"].flatMap(seriesOf);

/** The name of a model that the build lacks. */
const foreign = "of-another-pipeline";

const onBusy = { namespace: "default", pod: "busy", instance: "busy" };

/** A counter that grows by `step` every 15 s. */
const series = (metric: string, model: string, pod: string, step: number, reason?: string): object => ({
  series: `${metric}${labelsOf(pod, `model="${model}",version="1",`, reason === undefined ? "" : `,reason="${reason}"`)}`,
  values: `0+${step}x400`,
});

const labelsOf = (pod: string, before = "", after = ""): string =>
  `{${before}namespace="default",pod="${pod}",instance="${pod}"${after}}`;

/** A model fails on one server; on the other one, clients give up. */
const halfFailing = (model: string): readonly object[] => [
  series("nv_inference_request_failure", model, "busy", 15, "BACKEND"),
  series("nv_inference_request_success", model, "busy", 15),
  series("nv_inference_request_failure", model, "idle", 15, "CANCELED"),
  series("nv_inference_request_success", model, "idle", 15),
];

const alertTest = (alertname: string, time: string, alerts: readonly object[]): object => ({
  eval_time: time,
  alertname,
  exp_alerts: alerts,
});

const firing = (
  alertname: keyof typeof advice,
  time: string,
  labels: object,
  summary: string,
  {
    on = onBusy,
    description = advice[alertname],
  }: {
    readonly on?: object;
    readonly description?: string;
  } = {},
): object =>
  alertTest(alertname, time, [
    { exp_labels: { ...on, ...labels }, exp_annotations: { summary, description } },
  ]);

const downTest = (server: string, on: object = onBusy): object =>
  firing(
    "TritonServerDown",
    "15m",
    { severity: "critical" },
    `${server} is down, or does not answer Prometheus`,
    { on },
  );

/** @param count How many of the build's models the busy server has; no alert without any. */
const notServedTest = (count: number): object =>
  count === 0
    ? alertTest("TritonModelNotServed", "10m", [])
    : firing(
        "TritonModelNotServed",
        "10m",
        { severity: "critical" },
        `busy serves only ${count} of the build's models`,
      );
