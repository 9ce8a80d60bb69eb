import { ownValue } from "@tritype/core";
import { type DeployedBuild, deploymentName } from "../deployed-build.ts";
import type { DeploySettings, Rollout } from "../deploy-settings.ts";
import { buildName, claimFolder, type ModelStorage } from "../model-storage.ts";
import { queueMetric, queuePerRequest } from "../observability/metrics.ts";
import { type Resources, resourcesOf, rolloutOf } from "../resources.ts";
import { latencyRule } from "../smoke/latency-rule.ts";
import { servedGroups } from "../served-groups.ts";
import { yamlName, yamlText } from "../yaml-text.ts";

/** `values.yaml` */
export const valuesFile = (build: DeployedBuild, settings: DeploySettings): string => {
  const { image, models, replicas, kserve, gateway } = settings;
  const resources = resourcesOf(build, undefined);
  const rollout = rolloutOf(resources, settings);
  return `# Written by \`pipeline deploy\`, which overwrites it. Put your own values into a separate file:
#   helm upgrade --install ${deploymentName(build.manifest)} ./chart --values mine.yaml

image:
  # Name of the image in your registry, without tag.${image === "" ? "" : " From `deploy.image` in pipeline.config.ts."}
  repository: ${JSON.stringify(image)}
  # sha256:…, as the registry prints it after a push. ${
    models.kind === "image"
      ? "Each image contains one build, so a rollout sets a new digest."
      : "The image needs no models: see the runtime targets of the Dockerfile."
  }
  digest: ""
  pullPolicy: IfNotPresent
  pullSecrets: []

# SHA-256 of the build's manifest.json, an annotation of every pod.
build: "${build.hash}"

${modelValues(models, build)}
nameOverride: ""
# Without an autoscaler.
replicas: ${replicas}

server:
  # A profile of the build${build.profiles.length === 0 ? "; it has none" : `: ${build.profiles.join(", ")}`}. "": the configurations without a profile.
  profile: ""
  # Size of the response cache; 0: none.
  cacheBytes: ${resources.cacheBytes}
  # Further arguments of tritonserver.
  extraArgs: []
  env: []

# Times in seconds. The chart refuses values with which a rollout would lose requests.
rollout:
  maxUnavailable: ${rollout.maxUnavailable}
  maxSurge: ${rollout.maxSurge}
  # Wait before SIGTERM, during which a server still answers while it is removed from the endpoints.
  drainSeconds: ${rollout.drain}
  # Less than the wait, so that no gRPC connection is left when the server stops.
  grpcMaxConnectionAgeSeconds: ${rollout.grpcMaxConnectionAge}
  exitTimeoutSeconds: ${rollout.exitTimeout}
  longestRequestSeconds: ${rollout.longestRequest}
  # After this time Kubernetes kills the server. More than drain, exit timeout and longest request together.
  graceSeconds: ${rollout.grace}
  # Time in which the models must be loaded and warm.${resources.buildsEngines ? enginesBuilt : ""}
${loadLines(rollout)}

${resourceLines(resources, models)}
autoscaling:
  # none, hpa (autoscaling/v2 with prometheus-adapter) or keda. An upgrade from none leaves one server until the autoscaler adds others.
  kind: none
  minReplicas: ${Math.max(2, replicas)}
  maxReplicas: ${Math.max(2, replicas) * 4}
  # Milliseconds that a request may wait in queues, beyond the models' batching delays, before a server is added.
  queueMilliseconds: 20
  scaleDownSeconds: 300
  # With keda: address of a Prometheus, such as http://prometheus-operated.monitoring:9090
  prometheus: ""
  # The queues of each group of models that share members. They come from the graph: do not change them.
${indented({ queues: servedGroups(build).map((group) => ({ metric: queueMetric(group), query: queuePerRequest(group, "$selector") })) })}
monitoring:
  # none, pod (PodMonitor) or service (ServiceMonitor), for the Prometheus operator.
  scrape: none
  # At most 30s: the rules need two scrapes a minute.
  interval: 15s
  # Labels by which Prometheus chooses these objects, such as { release: kube-prometheus-stack }.
  labels: {}
  # A PrometheusRule with files/rules.yaml.
  rules: false
  # A ConfigMap for each dashboard, for Grafana's sidecar.
  dashboards: false

tracing:
  # Address of an OpenTelemetry collector, such as http://collector.monitoring:4318/v1/traces; "" for no traces.
  url: ""
  # One in this many requests is traced, and every request whose caller is traced.
  rate: 100
  service: ${yamlName(deploymentName(build.manifest))}

# What \`helm test\` allows. It compares the servers with files/smoke.json: readiness, contracts, warmup, answers and latencies.
smoke:
  # Largest absolute plus relative error of an answer; for integers, only absolute.
  tolerance: 0.001
  # A limit such as p99<200ms. "": the median may be ${latencyRule.times} times that of the build in the local runtime, plus ${latencyRule.plusMilliseconds} ms.
  limit: ""

networkPolicy:
  enabled: true
  # Who may call the server, in addition to the pod of \`helm test\`; by default every pod of the namespace. A gateway in another
  # namespace needs an entry. []: no client, not even that pod.
  clients:
    - podSelector: {}
  # Who may scrape metrics.
  prometheus:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: monitoring
  # The server only opens connections to a trace collector and a model storage: add those, and DNS, here. [{}]: to everything.
  egress: []
${kserve ? kserveValues(models, build) : ""}${gateway ? gatewayValues : ""}
podAnnotations: {}
nodeSelector: {}
tolerations: []
affinity: {}
`;
};

/** Triton copies a bucket to /tmp before it loads the models. */
const modelValues = (storage: ModelStorage, { hash }: DeployedBuild): string => {
  const repository = storage.kind === "bucket" ? `${storage.url}/${buildName(hash)}` : "/models";
  const [claim, folder] = storage.kind === "claim" ? [storage.claim, claimFolder(storage, hash)] : ["", ""];
  return `models:
  # Where a server finds the models: in the image, in a claim, or s3://…, gs://… or as://… with one folder for each build.
  # Triton finds credentials in its environment (server.env) or through serviceAccount.annotations.
  repository: ${JSON.stringify(repository)}
  # A PersistentVolumeClaim to mount at /models, and the folder in it; "": none.
  claim: ${JSON.stringify(claim)}
  claimFolder: ${JSON.stringify(folder)}

serviceAccount:
  # Such as eks.amazonaws.com/role-arn or iam.gke.io/gcp-service-account, for access to a bucket.
  annotations: {}
`;
};

const kserveValues = (storage: ModelStorage, { hash }: DeployedBuild): string => {
  const uri =
    storage.kind === "claim"
      ? `pvc://${storage.claim}/${claimFolder(storage, hash)}`
      : storage.kind === "oci"
        ? `oci://${storage.image}:${buildName(hash)}`
        : "";
  return `
# A ServingRuntime and an InferenceService instead of the chart's own Deployment and Services.
kserve:
  enabled: true
  # pvc://… or oci://…, which KServe mounts; "" for models.repository.
  storageUri: ${JSON.stringify(uri)}
`;
};

const gatewayValues = `
# A route of the Gateway API for HTTP and gRPC; none without a gateway.
gateway:
  # The gateways, such as { name: public, namespace: gateways }. networkPolicy.clients must allow them too.
  parents: []
  hostnames: []
`;

/** `values-<profile>.yaml`: what differs from `values.yaml`. */
export const profileValues = (build: DeployedBuild, settings: DeploySettings, profile: string): string => {
  const { models, cores } = settings;
  const [resources, base] = [resourcesOf(build, profile), resourcesOf(build, undefined)];
  return `# The profile ${profile}. Written by \`pipeline deploy\`, which overwrites it.
#   helm upgrade --install ${deploymentName(build.manifest)} ./chart --values chart/values-${profile}.yaml

server:
  profile: ${yamlName(profile)}
${resources.buildsEngines && !base.buildsEngines ? `\nrollout:${enginesBuilt}\n${loadLines(rolloutOf(resources, settings))}\n` : ""}
${resourceLines(resources, models, { cores: ownValue(cores, profile), gpuBefore: base.needsGpu })}`;
};

const loadLines = ({ slowestLoad, startupPeriod, startupFailures }: Rollout): string =>
  `  slowestLoadSeconds: ${slowestLoad}
  startupPeriodSeconds: ${startupPeriod}
  startupFailures: ${startupFailures}`;

const enginesBuilt =
  "\n  # Models build TensorRT engines when they are loaded, which takes minutes. With a claim for the cache, only the first server does.";

const resourceLines = (
  { memory, sharedMemory, cacheBytes, pythons, weights, stored, needsGpu, mayUseGpu, caches }: Resources,
  storage: ModelStorage,
  {
    cores = 2,
    gpuBefore = false,
  }: { readonly cores?: number | undefined; readonly gpuBefore?: boolean } = {},
): string => {
  const gpu = needsGpu
    ? "\n    # Some models of this build only run on a GPU.\n    nvidia.com/gpu: 1"
    : gpuBefore
      ? "\n    # Removes the GPU of values.yaml, with which Helm merges this file.\n    nvidia.com/gpu: null"
      : mayUseGpu.length === 0
        ? ""
        : `\n    # These models use a GPU if the pod has one: ${mayUseGpu.join(", ")}.\n    # nvidia.com/gpu: 1`;
  return `# An estimate: ${weights} MiB of models times their instances, ${pythons} ${pythons === 1 ? "process" : "processes"} of Python, shared memory${cacheBytes === 0 ? "" : ", the response cache"}. Replace it with measured values.
resources:
  requests:
    cpu: "${cores}"
    memory: ${memory}Mi
  # No CPU limit: it would pause the server for part of every 100 ms in which it uses more.
  limits:
    memory: ${memory}Mi${gpu}

volumes:
  tmp: ${storage.kind === "bucket" ? Math.ceil(stored / 1024) + 1 : 1}Gi${storage.kind === "bucket" ? " # with a copy of the models" : ""}
  # 64 MiB for each Python process, at least 256.
  sharedMemory: ${sharedMemory}Mi
  # Folders in which models keep what they build when they are loaded, such as TensorRT engines. claim: a PersistentVolumeClaim
  # (ReadWriteMany), so that other servers and later ones need not build it again; "": each server starts with an empty folder.
${indented({ caches: caches.map((path) => ({ path, claim: "" })) })}`;
};

const yaml = (value: object): string =>
  yamlText(value, { defaultStringType: "QUOTE_SINGLE", defaultKeyType: "PLAIN" });

const indented = (value: object): string => yaml(value).replaceAll(/^(?=.)/gm, "  ");
