import { head } from "./head.ts";
import {
  claimMount,
  containerSecurity,
  fsGroup,
  optionalField,
  podSecurity,
  probes,
  scriptResources,
  volumeMounts,
  volumes,
} from "./server-parts.ts";

/** `templates/deployment.yaml` */
export const deploymentTemplate: string = `{{- include "triton.checks" . -}}
${head("Deployment", "apps/v1")}
spec:
  {{- if eq .Values.autoscaling.kind "none" }}
  replicas: {{ int64 .Values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  # A rollout that makes no progress for longer than the slowest load has failed.
  progressDeadlineSeconds: {{ add 600 .Values.rollout.slowestLoadSeconds }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: {{ int64 .Values.rollout.maxUnavailable }}
      maxSurge: {{ int64 .Values.rollout.maxSurge }}
  selector:
    matchLabels:
      {{- include "triton.selector" . | nindent 6 }}
  template:
    metadata:
      annotations:
        # SHA-256 of the build's manifest.json.
        tritype-build: {{ .Values.build | quote }}
        {{- with .Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      labels:
        {{- include "triton.labels" . | nindent 8 }}
    spec:
      serviceAccountName: {{ include "triton.name" . | quote }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ int64 .Values.rollout.graceSeconds }}
${podSecurity(6, fsGroup)}
${optionalField("imagePullSecrets", "image.pullSecrets", 6)}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "triton.selector" $ | nindent 14 }}
          # During a rollout, the servers that are replaced do not count.
          matchLabelKeys:
            - pod-template-hash
        {{- end }}
      {{- if and (eq .Values.models.repository "/models") (not .Values.models.claim) }}
      initContainers:
        # Stops a rollout if image.digest is not that of the build that this chart is for.
        - name: build
          image: {{ include "triton.image" . }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command:
            - sh
            - -ec
            - |
              manifest=/opt/manifest.json
              if ! test -e $manifest; then echo "not checked: this image does not say which build it contains"; exit 0; fi
              found=$(sha256sum $manifest | cut -c1-64)
              test $found = {{ .Values.build }} ||
                { echo "this chart is for the build {{ .Chart.AppVersion }}, but the image contains $(echo $found | cut -c1-12): set image.digest"; exit 1; }
${containerSecurity(10)}
${scriptResources("64Mi", 10)}
      {{- end }}
      containers:
        - name: triton
          image: {{ include "triton.image" . }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          args:
            {{- include "triton.args" . | nindent 12 }}
${optionalField("env", "server.env", 10)}
          ports:
            - name: http
              containerPort: 8000
            - name: grpc
              containerPort: 8001
            - name: metrics
              containerPort: 8002
          # No other probe runs until the models are loaded and warm.
${probes("http", 10)}
          lifecycle:
            preStop:
              # The server still answers while kube-proxy and gateways stop using this pod. Only then does it get SIGTERM.
              sleep:
                seconds: {{ int64 .Values.rollout.drainSeconds }}
${containerSecurity(10)}
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
${volumeMounts(10, claimMount)}
${volumes(6)}
        {{- with .Values.models.claim }}
        - name: models
          persistentVolumeClaim:
            claimName: {{ . | quote }}
            readOnly: true
        {{- end }}
${optionalField("nodeSelector", "nodeSelector", 6)}
${optionalField("tolerations", "tolerations", 6)}
${optionalField("affinity", "affinity", 6)}
`;
