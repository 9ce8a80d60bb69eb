import type { DeploySettings } from "../deploy-settings.ts";
import { deploymentTemplate } from "./deployment-template.ts";
import { gatewayTemplate } from "./gateway-template.ts";
import { head } from "./head.ts";
import { helpersTemplate } from "./helpers-template.ts";
import { kserveTemplate } from "./kserve-template.ts";
import { autoscalingTemplates, monitoringTemplates, monitorTemplate } from "./optional-templates.ts";
import { containerSecurity, optionalField, podSecurity } from "./server-parts.ts";

/** The files of the chart's `templates`: the same for every build; what differs is in the values. */
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
    ["tests/contracts.yaml", testPod],
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

const testPod = `# \`helm test <release>\`: the service answers, and serves the contracts of this build.
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "triton.name" . }}-contracts
  labels:
    # Without the label app.kubernetes.io/name, so that the services, the network policy and the budget do not select it.
    {{- include "triton.testSelector" . | nindent 4 }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
${podSecurity(2)}
  containers:
    - name: curl
      # The server's own image has curl.
      image: {{ include "triton.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command:
        - sh
        - -ec
        - |
          url=http://{{ include "triton.name" . }}:8000
          # A pod that has just started may not be known to network policies yet.
          curl --fail --silent --show-error --connect-timeout 5 --retry 5 --retry-connrefused --output /dev/null "$url/v2/health/ready"
          {{- range $model, $hash := .Values.contracts }}
          config=$(curl --fail --silent --show-error "$url/v2/models/{{ $model }}/config")
          echo "$config" | grep --quiet --fixed-strings {{ $hash }} ||
            { echo "{{ $model }} does not serve the contract {{ $hash }}"; exit 1; }
          {{- end }}
${containerSecurity(6)}
      resources:
        requests:
          cpu: 50m
          memory: 64Mi
        limits:
          memory: 64Mi
${optionalField("imagePullSecrets", "image.pullSecrets", 2)}
  # The image may only run on the servers' nodes.
${optionalField("nodeSelector", "nodeSelector", 2)}
${optionalField("tolerations", "tolerations", 2)}
`;
