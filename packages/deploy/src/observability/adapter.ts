import { yamlText } from "../yaml-text.ts";
import { queuePrefix } from "./metrics.ts";

/**
 * `observability/prometheus-adapter.yaml`: values for prometheus-adapter's chart, through which the HPA sees the queues. One
 * rule serves all builds: a cluster has one adapter, and Helm would replace the rules of one build with those of another.
 */
export const adapterFile: string = `# Values for the chart of prometheus-adapter, so that autoscaling.kind: hpa finds its metrics: the same for every build.
#   helm upgrade --install prometheus-adapter prometheus-community/prometheus-adapter --values prometheus-adapter.yaml --set prometheus.url=…
# Prometheus also needs rules.yaml. Written by \`pipeline deploy\`, which overwrites it.
${yamlText({
  rules: {
    custom: [
      {
        seriesQuery: `{__name__=~"^${queuePrefix}.*",namespace!="",pod!=""}`,
        resources: { overrides: { namespace: { resource: "namespace" }, pod: { resource: "pod" } } },
        metricsQuery: "avg by (<<.GroupBy>>) (<<.Series>>{<<.LabelMatchers>>})",
      },
    ],
  },
})}`;
