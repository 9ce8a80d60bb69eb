/** The first lines of an object: its kind and name, and the labels that all objects have. */
export const head = (
  kind: string,
  apiVersion: string,
  name = '{{ include "triton.name" . | quote }}',
): string =>
  `apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${name}
  labels:
    {{- include "triton.labels" . | nindent 4 }}`;
