/** `templates/kserve.yaml`: the whole build as one server of KServe, in Standard mode. */
export const kserveTemplate = `{{- if .Values.kserve.enabled }}
{{- include "triton.checks" . }}
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata:
  name: {{ include "triton.name" . }}
  labels:
    {{- include "triton.labels" . | nindent 4 }}
spec:
  # A format of its own: no other InferenceService gets this server.
  supportedModelFormats:
    - name: {{ include "triton.name" . }}
      version: "1"
      autoSelect: false
  protocolVersions:
    - v2
    - grpc-v2
  containers:
    - name: kserve-container
      # The models are in the image.
      image: {{ include "triton.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        {{- include "triton.args" . | nindent 8 }}
      {{- with .Values.server.env }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: http1
          containerPort: 8000
          protocol: TCP
      startupProbe:
        httpGet:
          path: /v2/health/ready
          port: 8000
        periodSeconds: {{ .Values.rollout.startupPeriodSeconds }}
        failureThreshold: {{ .Values.rollout.startupFailures }}
        timeoutSeconds: 5
      readinessProbe:
        httpGet:
          path: /v2/health/ready
          port: 8000
        periodSeconds: 5
        failureThreshold: 2
        timeoutSeconds: 5
      livenessProbe:
        httpGet:
          path: /v2/health/live
          port: 8000
        periodSeconds: 10
        failureThreshold: 6
        timeoutSeconds: 5
      lifecycle:
        preStop:
          sleep:
            seconds: {{ .Values.rollout.drainSeconds }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop:
            - ALL
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        - name: shm
          mountPath: /dev/shm
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: {{ .Values.volumes.tmp }}
    - name: shm
      emptyDir:
        medium: Memory
        sizeLimit: {{ .Values.volumes.sharedMemory }}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {{ include "triton.name" . }}
  labels:
    {{- include "triton.labels" . | nindent 4 }}
  annotations:
    # A Deployment and a Service, without Knative: the ensemble's members stay together in each server.
    serving.kserve.io/deploymentMode: Standard
    tritype-build: {{ .Values.build | quote }}
spec:
  predictor:
    minReplicas: {{ .Values.autoscaling.minReplicas }}
    maxReplicas: {{ .Values.autoscaling.maxReplicas }}
    automountServiceAccountToken: false
    terminationGracePeriodSeconds: {{ .Values.rollout.graceSeconds }}
    deploymentStrategy:
      type: RollingUpdate
      rollingUpdate:
        maxUnavailable: {{ .Values.rollout.maxUnavailable }}
        maxSurge: {{ .Values.rollout.maxSurge }}
    securityContext:
      runAsNonRoot: true
      runAsUser: 1000
      runAsGroup: 1000
      fsGroup: 1000
      seccompProfile:
        type: RuntimeDefault
    {{- with .Values.image.pullSecrets }}
    imagePullSecrets:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .Values.nodeSelector }}
    nodeSelector:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .Values.tolerations }}
    tolerations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    model:
      modelFormat:
        name: {{ include "triton.name" . }}
        version: "1"
      runtime: {{ include "triton.name" . }}
      protocolVersion: v2
{{- end }}
`;
