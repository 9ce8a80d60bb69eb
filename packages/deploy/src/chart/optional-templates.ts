import { head } from "./head.ts";
import { indented } from "./server-parts.ts";

/** Doubles the servers within a minute, and stops them one by one. */
const scaleBehavior = `behavior:
  scaleUp:
    stabilizationWindowSeconds: 0
    policies:
      - type: Percent
        value: 100
        periodSeconds: 60
  scaleDown:
    stabilizationWindowSeconds: {{ int64 .Values.autoscaling.scaleDownSeconds }}
    policies:
      - type: Pods
        value: 1
        periodSeconds: 60`;

/** The autoscalers; the values choose one of them. */
export const autoscalingTemplates: readonly (readonly [string, string])[] = [
  [
    "horizontalpodautoscaler.yaml",
    `{{- if eq .Values.autoscaling.kind "hpa" }}
# The metrics come from prometheus-adapter: observability/prometheus-adapter.yaml has its rules.
${head("HorizontalPodAutoscaler", "autoscaling/v2")}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "triton.name" . | quote }}
  minReplicas: {{ int64 .Values.autoscaling.minReplicas }}
  maxReplicas: {{ int64 .Values.autoscaling.maxReplicas }}
  metrics:
    {{- range .Values.autoscaling.queues }}
    - type: Pods
      pods:
        metric:
          name: {{ .metric }}
        target:
          type: AverageValue
          averageValue: {{ $.Values.autoscaling.queueMilliseconds | quote }}
    {{- end }}
${indented(scaleBehavior, 2)}
{{- end }}
`,
  ],
  [
    "scaledobject.yaml",
    `{{- if eq .Values.autoscaling.kind "keda" }}
${head("ScaledObject", "keda.sh/v1alpha1")}
spec:
  scaleTargetRef:
    name: {{ include "triton.name" . | quote }}
  minReplicaCount: {{ int64 .Values.autoscaling.minReplicas }}
  maxReplicaCount: {{ int64 .Values.autoscaling.maxReplicas }}
  pollingInterval: 15
  advanced:
    horizontalPodAutoscalerConfig:
${indented(scaleBehavior, 6)}
  triggers:
    {{- range .Values.autoscaling.queues }}
    - type: prometheus
      metricType: Value
      metadata:
        serverAddress: {{ required "set autoscaling.prometheus: the address of a Prometheus" $.Values.autoscaling.prometheus | quote }}
        # Milliseconds in queues per request, beyond the batching delays, averaged over the servers.
        # The pods of the Deployment: Kubernetes adds the hash of a ReplicaSet and five characters, and cuts long names before these.
        query: {{ printf "avg(%s)" (.query | replace "$selector" (printf "namespace=%q,pod=~%q" $.Release.Namespace (printf "%s-[a-z0-9]+-?[a-z0-9]{5}" (include "triton.name" $ | regexQuoteMeta)))) | quote }}
        threshold: {{ $.Values.autoscaling.queueMilliseconds | quote }}
        # Without series, nothing is scaled. By default, KEDA would take this for an empty queue, and stop servers.
        ignoreNullValues: "false"
    {{- end }}
{{- end }}
`,
  ],
];

/** The first lines of an object that the Prometheus operator reads. */
const monitoringHead = (kind: string): string => `${head(kind, "monitoring.coreos.com/v1")}
    {{- with .Values.monitoring.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}`;

/** `templates/monitor.yaml`: scraping, for clusters with the Prometheus operator. */
export const monitorTemplate: string = `{{- if eq .Values.monitoring.scrape "pod" }}
${monitoringHead("PodMonitor")}
spec:
  selector:
    matchLabels:
      {{- include "triton.selector" . | nindent 6 }}
  podMetricsEndpoints:
    - port: metrics
      interval: {{ .Values.monitoring.interval }}
{{- else if eq .Values.monitoring.scrape "service" }}
${monitoringHead("ServiceMonitor")}
spec:
  selector:
    matchLabels:
      {{- include "triton.selector" . | nindent 6 }}
  endpoints:
    # Only the headless service has this port.
    - port: metrics
      interval: {{ .Values.monitoring.interval }}
{{- end }}
`;

/** Rules and dashboards, for clusters with the operators that read them. */
export const monitoringTemplates: readonly (readonly [string, string])[] = [
  [
    "prometheusrule.yaml",
    `{{- if .Values.monitoring.rules }}
${monitoringHead("PrometheusRule")}
spec:
  {{- .Files.Get "files/rules.yaml" | nindent 2 }}
{{- end }}
`,
  ],
  [
    "dashboards.yaml",
    `{{- if .Values.monitoring.dashboards }}
{{- /* One ConfigMap for each, because together they may be larger than Kubernetes allows. Its name cannot be that of every model. */ -}}
{{- range $path, $_ := .Files.Glob "files/dashboards/*.json" }}
{{- with $ }}
---
${head("ConfigMap", "v1", '{{ include "triton.name" . }}-dashboard-{{ sha256sum (base $path) | trunc 8 }}')}
    # Grafana's sidecar loads ConfigMaps with this label.
    grafana_dashboard: "1"
data:
  {{- (.Files.Glob $path).AsConfig | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
`,
  ],
];
