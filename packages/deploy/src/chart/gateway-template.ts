import { openMethods } from "../open-methods.ts";
import { head } from "./head.ts";
import { optionalField } from "./server-parts.ts";

/** `templates/gateway.yaml`: a route of the Gateway API, for HTTP and gRPC clients outside the cluster. */
export const gatewayTemplate: string = `{{- if .Values.gateway.parents }}
# Only inference, metadata, statistics and health: model control, logs and shared memory stay inside.
# A model's trace settings can be reached over HTTP, because a path prefix cannot exclude them.
${head("HTTPRoute", "gateway.networking.k8s.io/v1")}
spec:
  parentRefs:
    {{- toYaml .Values.gateway.parents | nindent 4 }}
${optionalField("hostnames", "gateway.hostnames", 2)}
  rules:
    - matches:
        - path:
            type: Exact
            value: /v2
        - path:
            type: PathPrefix
            value: /v2/models
        - path:
            type: PathPrefix
            value: /v2/health
      backendRefs:
        - name: {{ include "triton.name" . | quote }}
          port: 8000
    # gRPC is HTTP/2 with POST. A GRPCRoute next to this route would need other hostnames: a gateway accepts only one of the two.
    # The Service's appProtocol, kubernetes.io/h2c, lets the gateway speak HTTP/2 to the servers, and choose one for each request.
    - matches:
        {{- range list ${openMethods.map((method) => JSON.stringify(method)).join(" ")} }}
        - method: POST
          path:
            type: Exact
            value: /inference.GRPCInferenceService/{{ . }}
        {{- end }}
      backendRefs:
        - name: {{ include "triton.name" . | quote }}
          port: 8001
{{- end }}
`;
