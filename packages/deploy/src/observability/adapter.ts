import type { DeployedBuild } from "../deployed-build.ts";
import { servedGroups } from "../served-groups.ts";
import { yamlText } from "../yaml-text.ts";
import { queueMetric } from "./metrics.ts";

/**
 * `observability/prometheus-adapter.yaml`: values for prometheus-adapter's chart, through which the HPA sees the
 * queues.
 */
export const adapterFile = (build: DeployedBuild): string =>
  `# Values for the chart of prometheus-adapter, so that autoscaling.kind: hpa finds its metrics. It needs rules.yaml in Prometheus.
# Written by \`pipeline deploy\`, which overwrites it.
${yamlText({
  rules: {
    custom: servedGroups(build).map((group) => ({
      seriesQuery: `${queueMetric(group)}{namespace!="",pod!=""}`,
      resources: { overrides: { namespace: { resource: "namespace" }, pod: { resource: "pod" } } },
      name: { as: queueMetric(group) },
      metricsQuery: "avg by (<<.GroupBy>>) (<<.Series>>{<<.LabelMatchers>>})",
    })),
  },
})}`;
