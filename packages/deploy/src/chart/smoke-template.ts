import { containerSecurity, optionalField, podSecurity, scriptResources } from "./server-parts.ts";

/** When objects exist: as long as `helm test` runs, or longer if it fails. */
const onlyInTest = (weight: number): string => `  annotations:
    helm.sh/hook: test
    helm.sh/hook-weight: "${weight}"
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded`;

const head = (kind: string): string => `apiVersion: v1
kind: ${kind}
metadata:
  name: {{ include "triton.name" . }}-smoke
  labels:
    {{- include "triton.testSelector" . | nindent 4 }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}`;

/** `templates/tests/smoke.yaml` */
export const smokeTemplate: string = `# \`helm test <release>\`: the servers behind the service are ready, warm, and answer as this build does.
# Without the label app.kubernetes.io/name, so that the services, the network policy and the budget do not select its pod.
${head("ConfigMap")}
${onlyInTest(-1)}
data:
  {{- (.Files.Glob "files/smoke.*").AsConfig | nindent 2 }}
---
${head("Pod")}
${onlyInTest(0)}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
${podSecurity(2)}
  containers:
    - name: smoke
      # The server's own image has Python.
      image: {{ include "triton.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command:
        - python3
        - /smoke/smoke.py
        - http://{{ include "triton.name" . }}:8000
        - --timeout={{ int64 .Values.rollout.longestRequestSeconds }}
        # A pod that has just started may not be known to network policies yet.
        - --wait=30
        - --tolerance={{ .Values.smoke.tolerance }}
        {{- with .Values.smoke.limit }}
        - --limit={{ . }}
        {{- end }}
${containerSecurity(6)}
${scriptResources("128Mi", 6)}
      volumeMounts:
        - name: smoke
          mountPath: /smoke
  volumes:
    - name: smoke
      configMap:
        name: {{ include "triton.name" . }}-smoke
${optionalField("imagePullSecrets", "image.pullSecrets", 2)}
  # The image may only run on the servers' nodes.
${optionalField("nodeSelector", "nodeSelector", 2)}
${optionalField("tolerations", "tolerations", 2)}
`;
