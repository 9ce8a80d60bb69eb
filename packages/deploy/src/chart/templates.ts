import type { DeploySettings } from "../deploy-settings.ts";
import { deploymentTemplate } from "./deployment-template.ts";
import { gatewayTemplate } from "./gateway-template.ts";
import { head } from "./head.ts";
import { helpersTemplate } from "./helpers-template.ts";
import { kserveTemplate } from "./kserve-template.ts";
import { autoscalingTemplates, monitoringTemplates, monitorTemplate } from "./optional-templates.ts";
import { optionalField } from "./server-parts.ts";
import { smokeTemplate } from "./smoke-template.ts";

/** The files of the chart's `templates`: the same for every build; the differences are in the values. */
export const chartTemplates = ({
  kserve,
  gateway,
  rollout,
}: Pick<DeploySettings, "gateway" | "kserve" | "rollout">): ReadonlyMap<string, string> => {
  const own: readonly (readonly [string, string])[] = [
    ["deployment.yaml", deploymentTemplate],
    ["service.yaml", service],
    ["poddisruptionbudget.yaml", podDisruptionBudget],
    ["networkpolicy.yaml", networkPolicy],
    ...autoscalingTemplates,
    ["monitor.yaml", monitorTemplate],
    ["tests/smoke.yaml", smokeTemplate],
    ...(gateway ? [["gateway.yaml", gatewayTemplate] as const] : []),
  ];
  return new Map([
    ["_helpers.tpl", helpersTemplate(rollout)],
    ["serviceaccount.yaml", serviceAccount],
    ...own.map(([path, text]) => [path, kserve ? unlessKserve(text) : text] as const),
    ...(kserve ? [["kserve.yaml", kserveTemplate] as const] : []),
    ...monitoringTemplates,
  ]);
};

/** Leaves out objects that KServe creates itself. */
const unlessKserve = (text: string): string => `{{- if not .Values.kserve.enabled }}\n${text}{{- end }}\n`;

const clientPorts = `  ports:
    - name: http
      port: 8000
      targetPort: http
      appProtocol: http
    - name: grpc
      port: 8001
      targetPort: grpc
      appProtocol: kubernetes.io/h2c`;

const service = `# For clients over HTTP, and for gateways and meshes, which see each request. A ClusterIP chooses a server once for each
# connection: a gRPC client keeps one connection, so all its requests would go to one server.
${head("Service", "v1")}
spec:
  selector:
    {{- include "triton.selector" . | nindent 4 }}
${clientPorts}
---
# For gRPC clients that choose a server for each request: its DNS name resolves to every server that is ready.
# dns:///{{ include "triton.name" . }}-servers:8001 with the load balancing policy round_robin.
${head("Service", "v1", '{{ include "triton.name" . }}-servers')}
spec:
  clusterIP: None
  selector:
    {{- include "triton.selector" . | nindent 4 }}
${clientPorts}
    - name: metrics
      port: 8002
      targetPort: metrics
      appProtocol: http
`;

const serviceAccount = `${head("ServiceAccount", "v1")}
${optionalField("annotations", "serviceAccount.annotations", 2)}
# The server never calls the Kubernetes API.
automountServiceAccountToken: false
`;

const podDisruptionBudget = `# Nodes are drained one server at a time. A single server may be evicted too, so it does not block a drain.
${head("PodDisruptionBudget", "policy/v1")}
spec:
  maxUnavailable: 1
  # A server that is not ready may be evicted.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "triton.selector" . | nindent 6 }}
`;

const networkPolicy = `{{- if .Values.networkPolicy.enabled }}
${head("NetworkPolicy", "networking.k8s.io/v1")}
spec:
  podSelector:
    matchLabels:
      {{- include "triton.selector" . | nindent 6 }}
  policyTypes:
    - Ingress
    - Egress
  # An empty list of sources would admit all of them.
  ingress:
    {{- if not (or .Values.networkPolicy.clients .Values.networkPolicy.prometheus) }} []{{ end }}
    {{- with .Values.networkPolicy.clients }}
    - from:
        {{- toYaml . | nindent 8 }}
        # The pod of \`helm test\`.
        - podSelector:
            matchLabels:
              {{- include "triton.testSelector" $ | nindent 14 }}
      ports:
        - port: http
        - port: grpc
    {{- end }}
    {{- with .Values.networkPolicy.prometheus }}
    - from:
        {{- toYaml . | nindent 8 }}
      ports:
        - port: metrics
    {{- end }}
  {{- with .Values.networkPolicy.egress }}
  egress:
    {{- toYaml . | nindent 4 }}
  {{- else }}
  egress: []
  {{- end }}
{{- end }}
`;
