import type { DeployedBuild } from "../deployed-build.ts";
import type { DeploySettings } from "../deploy-settings.ts";

type Schema = Readonly<Record<string, unknown>>;

/** `values.schema.json`, which Helm applies to every install, upgrade and lint. */
export const valuesSchema = (build: DeployedBuild, { kserve, gateway }: DeploySettings): string =>
  `${JSON.stringify(
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({
        global: { type: "object" },
        image: object({
          repository: {
            type: "string",
            pattern: "^([a-z0-9][a-z0-9._:/-]*)?$",
            description: "Without tag or digest.",
          },
          digest: { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
          pullPolicy: { enum: ["IfNotPresent", "Always", "Never"] },
          pullSecrets: list(anyObject),
        }),
        build: { type: "string", pattern: "^[0-9a-f]{64}$" },
        nameOverride: text,
        models: object({
          repository: { type: "string", pattern: "^(/|(s3|gs|as)://).+$" },
          claim: text,
          claimFolder: text,
        }),
        serviceAccount: object({ annotations: { type: "object", additionalProperties: text } }),
        replicas: integer(0),
        server: object({
          profile: { enum: ["", ...build.profiles] },
          cacheBytes: integer(0),
          extraArgs: list(text),
          env: list({ ...object({ name: text, value: text, valueFrom: anyObject }), required: ["name"] }),
        }),
        rollout: object({
          maxUnavailable: integer(0),
          maxSurge: integer(0),
          drainSeconds: integer(1),
          grpcMaxConnectionAgeSeconds: integer(1),
          exitTimeoutSeconds: integer(1),
          longestRequestSeconds: integer(1),
          graceSeconds: integer(1),
          slowestLoadSeconds: integer(1),
          startupPeriodSeconds: integer(1),
          startupFailures: integer(1),
        }),
        resources: object({ requests: anyObject, limits: anyObject, claims: list(anyObject) }),
        volumes: object({
          tmp: quantity,
          sharedMemory: quantity,
          caches: list({
            ...object({ path: { type: "string", pattern: "^/.+$" }, claim: text }),
            required: ["path"],
          }),
        }),
        autoscaling: object({
          kind: { enum: ["none", "hpa", "keda"] },
          minReplicas: integer(1),
          maxReplicas: integer(1),
          queueMilliseconds: { type: "number", exclusiveMinimum: 0 },
          scaleDownSeconds: integer(0),
          prometheus: text,
          queues: list(object({ metric: text, query: text })),
        }),
        monitoring: object({
          scrape: { enum: ["none", "pod", "service"] },
          interval: { type: "string", pattern: "^[0-9]+(ms|s|m)$" },
          labels: { type: "object", additionalProperties: text },
          rules: { type: "boolean" },
          dashboards: { type: "boolean" },
        }),
        tracing: object({
          url: { type: "string", pattern: "^(https?://.+)?$" },
          rate: integer(1),
          service: text,
        }),
        smoke: object({
          tolerance: { type: "number", minimum: 0 },
          limit: { type: "string", pattern: "^(p(50|90|95|99)<[0-9]+(\\.[0-9]+)?(ms|s))?$" },
        }),
        networkPolicy: object({
          enabled: { type: "boolean" },
          clients: list(anyObject),
          prometheus: list(anyObject),
          egress: list(anyObject),
        }),
        ...(kserve
          ? {
              kserve: object({
                enabled: { type: "boolean" },
                storageUri: { type: "string", pattern: "^((pvc|oci)://.+)?$" },
              }),
            }
          : {}),
        ...(gateway ? { gateway: object({ parents: list(anyObject), hostnames: list(text) }) } : {}),
        podAnnotations: { type: "object", additionalProperties: text },
        nodeSelector: { type: "object", additionalProperties: text },
        tolerations: list(anyObject),
        affinity: { type: "object" },
      }),
    },
    null,
    2,
  )}\n`;

const text: Schema = { type: "string" };
const anyObject: Schema = { type: "object" };
const quantity: Schema = { type: "string", pattern: "^[0-9]+(Mi|Gi)$" };
const integer = (minimum: number): Schema => ({ type: "integer", minimum });
const list = (items: Schema): Schema => ({ type: "array", items });
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: "object",
  additionalProperties: false,
  properties,
});
