import { head } from "./head.ts";
import {
  containerSecurity,
  fsGroup,
  optionalField,
  podSecurity,
  probes,
  volumeMounts,
  volumes,
} from "./server-parts.ts";

/** `templates/kserve.yaml`: the whole build as one server of KServe, without Knative. */
export const kserveTemplate: string = `{{- if .Values.kserve.enabled }}
{{- include "triton.checks" . }}
${head("ServingRuntime", "serving.kserve.io/v1alpha1")}
spec:
  # A separate format, so that no other InferenceService uses this server.
  supportedModelFormats:
    - name: {{ include "triton.name" . | quote }}
      version: "1"
      autoSelect: false
  protocolVersions:
    - v2
    - grpc-v2
  containers:
    - name: kserve-container
      image: {{ include "triton.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        {{- include "triton.args" . | nindent 8 }}
${optionalField("env", "server.env", 6)}
      ports:
        - name: http1
          containerPort: 8000
          protocol: TCP
${probes("8000", 6)}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ int64 .Values.rollout.drainSeconds }}
${containerSecurity(6)}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
${volumeMounts(6)}
${volumes(2)}
---
${head("InferenceService", "serving.kserve.io/v1beta1")}
  annotations:
    # A Deployment and a Service, without Knative: the ensemble's members stay together in each server.
    # Later releases of KServe call this mode Standard; all of them accept this name.
    serving.kserve.io/deploymentMode: RawDeployment
    tritype-build: {{ .Values.build | quote }}
spec:
  predictor:
    minReplicas: {{ int64 .Values.autoscaling.minReplicas }}
    maxReplicas: {{ int64 .Values.autoscaling.maxReplicas }}
    serviceAccountName: {{ include "triton.name" . | quote }}
    automountServiceAccountToken: false
    terminationGracePeriodSeconds: {{ int64 .Values.rollout.graceSeconds }}
    deploymentStrategy:
      type: RollingUpdate
      rollingUpdate:
        maxUnavailable: {{ int64 .Values.rollout.maxUnavailable }}
        maxSurge: {{ int64 .Values.rollout.maxSurge }}
${podSecurity(4, fsGroup)}
${optionalField("imagePullSecrets", "image.pullSecrets", 4)}
${optionalField("nodeSelector", "nodeSelector", 4)}
${optionalField("tolerations", "tolerations", 4)}
    model:
      modelFormat:
        name: {{ include "triton.name" . | quote }}
        version: "1"
      runtime: {{ include "triton.name" . | quote }}
      protocolVersion: v2
      {{- with .Values.kserve.storageUri }}
      storageUri: {{ . | quote }}
      {{- end }}
{{- end }}
`;
