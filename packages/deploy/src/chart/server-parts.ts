/** Indents every line that is not empty. */
export const indented = (lines: string, indent: number): string =>
  lines.replaceAll(/^(?=.)/gm, " ".repeat(indent));

/**
 * The probes that determine when a server is ready, and when it is restarted.
 * @param port Name or number of its HTTP port.
 */
export const probes = (port: string, indent: number): string =>
  indented(
    `startupProbe:
  httpGet:
    path: /v2/health/ready
    port: ${port}
  periodSeconds: {{ int64 .Values.rollout.startupPeriodSeconds }}
  failureThreshold: {{ int64 .Values.rollout.startupFailures }}
  timeoutSeconds: 5
readinessProbe:
  httpGet:
    path: /v2/health/ready
    port: ${port}
  periodSeconds: 5
  failureThreshold: 2
  timeoutSeconds: 5
livenessProbe:
  httpGet:
    path: /v2/health/live
    port: ${port}
  periodSeconds: 10
  failureThreshold: 6
  timeoutSeconds: 5`,
    indent,
  );

/** `models.claim`, as a mount. */
export const claimMount = `
{{- if .Values.models.claim }}
  - name: models
    mountPath: /models
    subPath: {{ .Values.models.claimFolder | quote }}
    readOnly: true
{{- end }}`;

/** A field with the value of `.Values.<path>`; left out if that is empty. */
export const optionalField = (field: string, path: string, indent: number): string =>
  indented(
    `{{- with .Values.${path} }}
${field}:
  {{- toYaml . | nindent ${indent + 2} }}
{{- end }}`,
    indent,
  );

/** The group that owns the volumes. */
export const fsGroup = "\n  fsGroup: 1000";

/** A pod that does not run as root. */
export const podSecurity = (indent: number, group = ""): string =>
  indented(
    `securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000${group}
  seccompProfile:
    type: RuntimeDefault`,
    indent,
  );

/** A container that cannot gain privileges or change its own files. */
export const containerSecurity = (indent: number): string =>
  indented(
    `securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop:
      - ALL`,
    indent,
  );

/** Resources of a container that only runs a script. @param memory Such as `64Mi`. */
export const scriptResources = (memory: string, indent: number): string =>
  indented(
    `resources:
  requests:
    cpu: 50m
    memory: ${memory}
  limits:
    memory: ${memory}`,
    indent,
  );

/** @param claim The mount of the models' claim, for the Deployment; KServe mounts claims itself. */
export const volumeMounts = (indent: number, claim = ""): string =>
  indented(
    `volumeMounts:
  - name: tmp
    mountPath: /tmp
  - name: shm
    mountPath: /dev/shm
{{- range $index, $cache := .Values.volumes.caches }}
  - name: cache-{{ $index }}
    mountPath: {{ $cache.path | quote }}
{{- end }}${claim}`,
    indent,
  );

/** The volumes of `volumeMounts`, except the models' claim. */
export const volumes = (indent: number): string =>
  indented(
    `volumes:
  - name: tmp
    emptyDir:
      sizeLimit: {{ .Values.volumes.tmp }}
  # Tensors go to and from Python in shared memory. It counts towards the memory limit.
  - name: shm
    emptyDir:
      medium: Memory
      sizeLimit: {{ .Values.volumes.sharedMemory }}
{{- range $index, $cache := .Values.volumes.caches }}
  - name: cache-{{ $index }}
    {{- if $cache.claim }}
    persistentVolumeClaim:
      claimName: {{ $cache.claim | quote }}
    {{- else }}
    emptyDir: {}
    {{- end }}
{{- end }}`,
    indent,
  );
