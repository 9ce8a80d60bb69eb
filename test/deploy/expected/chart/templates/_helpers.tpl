{{/* Name of every object: the release, at most 50 characters, so that suffixes fit. */}}
{{- define "triton.name" -}}
{{- .Values.nameOverride | default .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* A Deployment's selector cannot change, so no label in it depends on the build. */}}
{{- define "triton.selector" -}}
app.kubernetes.io/name: triton
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* The pod of `helm test`. */}}
{{- define "triton.testSelector" -}}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: smoke-test
{{- end -}}

{{- define "triton.labels" -}}
{{ include "triton.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: inference-server
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") | trunc 63 }}
{{- end -}}

{{/* By digest: a tag can move, and all servers of a release must run the same build. */}}
{{- define "triton.image" -}}
{{- $repository := required "set image.repository: the name of your image, without tag" .Values.image.repository -}}
{{- $digest := required "set image.digest: sha256:…, as your registry prints it after a push" .Values.image.digest -}}
{{- printf "%s@%s" $repository $digest | quote -}}
{{- end -}}

{{/* KServe mounts the models that it fetches at /mnt/models. */}}
{{- define "triton.repository" -}}
{{- $kserve := .Values.kserve | default dict -}}
{{- if and $kserve.enabled $kserve.storageUri -}}/mnt/models{{- else -}}{{ .Values.models.repository }}{{- end -}}
{{- end -}}

{{- define "triton.args" -}}
- tritonserver
- {{ printf "--model-repository=%s" (include "triton.repository" .) | quote }}
# The name in GET /v2: which build answers.
- --id={{ .Chart.Name }}-{{ .Chart.AppVersion }}
- --disable-auto-complete-config
- --model-control-mode=none
{{- with .Values.server.profile }}
- --model-config-name={{ . }}
{{- end }}
{{- with .Values.server.cacheBytes }}
- --cache-config=local,size={{ int64 . }}
{{- end }}
- --exit-timeout-secs={{ int64 .Values.rollout.exitTimeoutSeconds }}
# Clients reconnect, so that new servers get requests and stopping ones lose their connections.
- --grpc-max-connection-age={{ mul 1000 .Values.rollout.grpcMaxConnectionAgeSeconds }}
- --grpc-max-connection-age-grace={{ mul 1000 .Values.rollout.longestRequestSeconds }}
{{- if .Values.tracing.url }}
- --trace-config=mode=opentelemetry
- --trace-config=level=TIMESTAMPS
- --trace-config=rate={{ int64 .Values.tracing.rate }}
- {{ printf "--trace-config=opentelemetry,url=%s" .Values.tracing.url | quote }}
- {{ printf "--trace-config=opentelemetry,resource=service.name=%s" .Values.tracing.service | quote }}
- --trace-config=opentelemetry,resource=service.version={{ .Chart.AppVersion }}
{{- end }}
{{- range .Values.server.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The rules of docs/diagnostics/deploy, for values that are overridden. */}}
{{- define "triton.checks" -}}
{{- $name := include "triton.name" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "Kubernetes refuses %q as the name of a Service: set nameOverride to lower-case letters, digits and hyphens, starting with a letter" $name) -}}
{{- end -}}
{{- if ne (trunc 12 .Values.build) .Chart.AppVersion -}}
{{- fail (printf "build is %s, but this chart is for %s: helm upgrade --reuse-values keeps the queues and models of an earlier build; use --reset-then-reuse-values" (trunc 12 .Values.build) .Chart.AppVersion) -}}
{{- end -}}
{{- $kserve := .Values.kserve | default dict -}}
{{- if and $kserve.storageUri (not $kserve.enabled) (not .Values.models.claim) -}}
{{- fail "deploy/image-volume: kserve.storageUri names an image, which only KServe can mount: set kserve.enabled, or clear kserve.storageUri to serve the models in the image" -}}
{{- end -}}
{{- $urls := dict "models.repository" .Values.models.repository "tracing.url" .Values.tracing.url "autoscaling.prometheus" .Values.autoscaling.prometheus -}}
{{- range $name, $url := $urls -}}
{{- if regexMatch "://[^/?#]*@" $url -}}
{{- fail (printf "%s contains a user name or a password, which everyone who can read the release would see: leave it out, and give servers their secrets in server.env, with valueFrom" $name) -}}
{{- end -}}
{{- end -}}
{{- with .Values.autoscaling -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail (printf "autoscaling.minReplicas is %d, but autoscaling.maxReplicas is %d: set both" (int64 .minReplicas) (int64 .maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.egress) (not $kserve.enabled) -}}
{{- $outside := list -}}
{{- if regexMatch "^(s3|gs|as)://" .Values.models.repository -}}{{- $outside = append $outside .Values.models.repository -}}{{- end -}}
{{- if .Values.tracing.url -}}{{- $outside = append $outside .Values.tracing.url -}}{{- end -}}
{{- if $outside -}}
{{- fail (printf "networkPolicy.egress is empty, so servers cannot reach %s: add this address and DNS to it, or [{}] for all addresses" (join " and " $outside)) -}}
{{- end -}}
{{- end -}}
{{- with .Values.monitoring -}}
{{- $seconds := mulf (regexFind "^[0-9]+" .interval) (get (dict "ms" 0.001 "s" 1 "m" 60) (regexFind "[a-z]+$" .interval)) -}}
{{- if and (ne .scrape "none") (gt $seconds 30.0) -}}
{{- fail (printf "monitoring.interval is %s, but the rules and the autoscaler need two scrapes a minute: set it to 30s or less" .interval) -}}
{{- end -}}
{{- end -}}
{{- $paths := list "/tmp" "/dev/shm" (ternary "/models" "" (not (empty .Values.models.claim))) -}}
{{- range .Values.volumes.caches -}}
{{- if has (clean .path) $paths -}}
{{- fail (printf "volumes.caches: two volumes have the path %s" (clean .path)) -}}
{{- end -}}
{{- $paths = append $paths (clean .path) -}}
{{- end -}}
{{- /* Helm reads numbers as floats, and %v would print 1000000 as 1e+06. */ -}}
{{- $r := dict -}}
{{- range $name, $value := .Values.rollout -}}
{{- $r = set $r $name (int64 $value) -}}
{{- end -}}
{{- if and (eq (int $r.maxUnavailable) 0) (eq (int $r.maxSurge) 0) -}}
{{- fail "deploy/no-room: maxUnavailable and maxSurge are both 0: a rollout could not replace any server" -}}
{{- end -}}
{{- $least := int (ternary .Values.replicas .Values.autoscaling.minReplicas (eq .Values.autoscaling.kind "none")) -}}
{{- if and (gt (int $r.maxUnavailable) 0) (ge (int $r.maxUnavailable) $least) -}}
{{- fail (printf "deploy/unavailable-servers: rollout.maxUnavailable is %d, but there may be only %d servers: a rollout would stop all of them; set more servers, or rollout.maxUnavailable to 0; if the cluster has no room for another server, set `rollout.maxUnavailable` of `deploy` in pipeline.config.ts" $r.maxUnavailable $least) -}}
{{- end -}}
{{- if lt (int $r.drainSeconds) 5 -}}
{{- fail (printf "deploy/short-drain: rollout.drainSeconds is %d: the server gets SIGTERM while kube-proxy and gateways still send it requests; set it to 5 or more" $r.drainSeconds) -}}
{{- end -}}
{{- if gt (mulf 1.1 $r.grpcMaxConnectionAgeSeconds) (float64 $r.drainSeconds) -}}
{{- fail (printf "deploy/connection-age: rollout.grpcMaxConnectionAgeSeconds is %d, but the server stops after %d s: gRPC connections that are still open then fail" $r.grpcMaxConnectionAgeSeconds $r.drainSeconds) -}}
{{- end -}}
{{- if lt (int $r.exitTimeoutSeconds) (int $r.longestRequestSeconds) -}}
{{- fail (printf "deploy/short-exit-timeout: rollout.exitTimeoutSeconds is %d, but requests take up to %d s: longer ones are cut off" $r.exitTimeoutSeconds $r.longestRequestSeconds) -}}
{{- end -}}
{{- $needed := add $r.drainSeconds $r.exitTimeoutSeconds $r.longestRequestSeconds -}}
{{- if le (int $r.graceSeconds) (int $needed) -}}
{{- fail (printf "deploy/short-grace: rollout.graceSeconds is %d, but stopping takes up to %d s: drain, exit timeout and the longest request" $r.graceSeconds $needed) -}}
{{- end -}}
{{- $allowed := mul $r.startupPeriodSeconds $r.startupFailures -}}
{{- if lt (int $allowed) (int $r.slowestLoadSeconds) -}}
{{- fail (printf "deploy/short-startup: the startup probe allows %d s, but the models take up to %d s to load" $allowed $r.slowestLoadSeconds) -}}
{{- end -}}
{{- end -}}
