import { cacheFoldersOf } from "@tritype/triton";
import { configsOf, type DeployedBuild, deploymentName } from "../deployed-build.ts";
import type { DeploySettings } from "../deploy-settings.ts";
import { buildName } from "../model-storage.ts";
import { resourcesOf, rolloutOf } from "../resources.ts";
import { yamlName, yamlText } from "../yaml-text.ts";
import { type ComposeProxy, composeProxies } from "./compose-proxy.ts";
import type { ProxiedServer } from "./proxied-server.ts";

interface ComposeServer extends ProxiedServer {
  /** The host's port for the server's metrics: a proxy would answer with those of one server or another. */
  readonly metricsPort: number;
}

/** The files of `compose`: several servers on one host, behind a proxy. */
export const composeFiles = (build: DeployedBuild, settings: DeploySettings): ReadonlyMap<string, string> => {
  const servers = Array.from({ length: Math.max(2, settings.replicas) }, (_, index): ComposeServer => {
    const name = `triton-${index + 1}`;
    return { name, host: name, httpPort: 8000, grpcPort: 8001, metricsPort: 8002 + index };
  });
  const proxy = composeProxies[settings.proxy](servers, settings);
  return new Map([
    ["compose.yaml", composeFile(build, settings, servers, proxy)],
    ...build.profiles.map(
      (profile) => [profileFileName(profile), profileFile(build, settings, servers, profile)] as const,
    ),
    ["prometheus.yaml", prometheusFile(servers)],
    ...proxy.files,
  ]);
};

const composeFile = (
  build: DeployedBuild,
  settings: DeploySettings,
  servers: readonly ComposeServer[],
  { title, image, folder, start, commands, files }: ComposeProxy,
): string => {
  const resources = resourcesOf(build, undefined);
  const { sharedMemory, needsGpu, cacheBytes } = resources;
  const caches = cacheFoldersOf(configsOf(build));
  const rollout = rolloutOf(resources, settings);
  const [profile] = build.profiles;
  const { models } = settings;
  const bucket = models.kind === "bucket";
  const name = deploymentName(build.manifest);
  const repository = bucket ? `${models.url}/${buildName(build.hash)}` : "/models";
  const fromImage =
    models.kind === "claim" || models.kind === "oci"
      ? "# These servers load the models in the image, because Compose has neither claims nor image volumes.\n#\n"
      : "";
  const credentials = bucket ? credentialNames[models.service] : [];
  // An image from another Dockerfile may not say which build it contains.
  const served = bucket ? buildName(build.hash) : "$$(sha256sum /opt/manifest.json 2>/dev/null | cut -c1-12)";
  const profileArgument =
    profile === undefined ? "" : "$${TRITON_PROFILE:+--model-config-name=$$TRITON_PROFILE} ";
  const command = (lines: readonly string[]): string => lines.map((line) => `#   ${line}\n`).join("");
  return `# Several servers of one build on one host, behind ${title}. Written by \`pipeline deploy\`, which overwrites it.
#
# In this folder:
#   export TRITON_IMAGE=registry.example/embed@sha256:…
#   docker compose up --detach --wait
#
# To switch to another image, replace one server after another:
#   export TRITON_IMAGE=registry.example/embed@sha256:…
${command(commands.drain)}#   sleep ${rollout.drain}
#   docker compose up --detach --no-deps --wait triton-1
${command(commands.ready)}# Then the same for the other servers.
#
${fromImage}${
  profile === undefined
    ? ""
    : `# For a profile (${build.profiles.join(", ")}), add its file, for all of these commands: COMPOSE_FILE=compose.yaml:${profileFileName(profile)}\n`
}# For traces, set TRITON_TRACES=http://collector:4318/v1/traces. For metrics and alerts, see prometheus.yaml.
x-triton: &triton
  image: \${TRITON_IMAGE:?set it to the image of the build, with its digest}
  environment:
    - TRITON_TRACES${credentials.map((name) => `\n    - ${name}`).join("")}
  command:
    - sh
    - -c
    - |
      build=${served}
      exec tritonserver "$$@" $\${build:+--id=${name}-$$build} ${profileArgument}$\${TRITON_TRACES:+--trace-config=mode=opentelemetry --trace-config=level=TIMESTAMPS
        --trace-config=rate=100 --trace-config=opentelemetry,url=$$TRITON_TRACES
        --trace-config=opentelemetry,resource=service.name=${name}}
    - tritonserver
    - --model-repository=${repository}
    - --disable-auto-complete-config
    - --model-control-mode=none
    - --exit-timeout-secs=${rollout.exitTimeout}${cacheBytes === 0 ? "" : `\n    - --cache-config=local,size=${cacheBytes}`}
  init: true
  restart: unless-stopped
  healthcheck:
    test:
      - CMD
      - curl
      - --fail
      - --silent
      - --output
      - /dev/null
      - http://127.0.0.1:8000/v2/health/ready
    interval: ${rollout.startupPeriod}s
    timeout: 5s
    start_period: ${rollout.slowestLoad}s
    retries: 3${needsGpu ? gpus : ""}
  cap_drop:
    - ALL
  read_only: true # except /tmp and shared memory
  security_opt:
    - no-new-privileges:true
  shm_size: ${sharedMemory}mb
  stop_grace_period: ${rollout.exitTimeout + rollout.longestRequest + 15}s
  tmpfs:
    - /tmp:exec # packed Python environments are unpacked there${block("  volumes:", caches, (path, at) => `    - cache-${at + 1}:${path}`)}

# COMPOSE_PROJECT_NAME sets another name, such as for a second project on this host.
name: ${yamlName(projectName(settings))}

services:
  ${settings.proxy}:
    # A tag can move: set ${settings.proxy.toUpperCase()}_IMAGE to an image with a digest.
    image: \${${settings.proxy.toUpperCase()}_IMAGE:-${image}}
    volumes:
${[...files.keys()].map((file) => `      - ./${file}:${folder}/${file}:ro`).join("\n")}
    ports:
      - '\${TRITON_ADDRESS:-127.0.0.1}:8000:8000' # HTTP
      - '\${TRITON_ADDRESS:-127.0.0.1}:8001:8001' # gRPC
${start === undefined ? "" : `    entrypoint:\n      - sh\n      - -c\n      - ${start}\n`}    restart: unless-stopped
${start === undefined ? "" : "    user: 1000:1000\n"}    cap_drop:
      - ALL
    read_only: true
    security_opt:
      - no-new-privileges:true
${start === undefined ? "" : "    tmpfs:\n      - /tmp\n"}
${servers.map(({ name, metricsPort }) => `  ${name}:\n    ports:\n      - '\${TRITON_METRICS_ADDRESS:-127.0.0.1}:${metricsPort}:8002' # metrics\n    <<: *triton`).join("\n")}
${block("# Volumes for what models build when they are loaded, such as TensorRT engines.\nvolumes:", caches, (_, at) => `  cache-${at + 1}:${at + 1 === caches.length ? "\n" : ""}`)}`;
};

const profileFileName = (profile: string): string => `compose-${profile}.yaml`;

/** `compose-<profile>.yaml`: the differences from `compose.yaml`, with which Compose merges it. */
const profileFile = (
  build: DeployedBuild,
  settings: DeploySettings,
  servers: readonly ComposeServer[],
  profile: string,
): string => {
  const [resources, base] = [resourcesOf(build, profile), resourcesOf(build, undefined)];
  // Compose keeps a field of the other file unless its tag removes it.
  const withoutGpu = base.needsGpu && !resources.needsGpu ? "\n    deploy: !reset null" : "";
  return `# The profile ${profile}. Written by \`pipeline deploy\`, which overwrites it. Before the commands in compose.yaml:
#
#   export COMPOSE_FILE=compose.yaml:${profileFileName(profile)}
#
x-triton: &triton
  environment:
    - TRITON_PROFILE=${profile}
  healthcheck:
    start_period: ${rolloutOf(resources, settings).slowestLoad}s${resources.needsGpu ? gpus : ""}
  shm_size: ${resources.sharedMemory}mb

services:
${servers.map(({ name }) => `  ${name}:\n    <<: *triton${withoutGpu}`).join("\n")}
`;
};

/** `prometheus.yaml` */
const prometheusFile = (servers: readonly ComposeServer[]): string =>
  `# For a Prometheus on this host: scrapes each server, and reads the rules of the build. Written by \`pipeline deploy\`, which overwrites it.
${yamlText({
  global: { scrape_interval: "15s", evaluation_interval: "15s" },
  rule_files: ["../observability/rules.yaml"],
  scrape_configs: [
    {
      job_name: "triton",
      static_configs: [{ targets: servers.map(({ metricsPort }) => `127.0.0.1:${metricsPort}`) }],
    },
  ],
})}`;

/** It does not depend on the build: under another name, Compose would start more servers instead of replacing these. */
const projectName = ({ image, packageName }: DeploySettings): string =>
  [image, packageName].flatMap((name) => /[a-z\d][a-z\d_-]*$/.exec(name.toLowerCase()) ?? [])[0] ?? "triton";

/** A list in YAML on lines of its own; nothing if it is empty. */
const block = (
  head: string,
  items: readonly string[],
  show: (item: string, index: number) => string,
): string => (items.length === 0 ? "" : ["", head, ...items.map(show)].join("\n"));

/** Variables in which Triton finds the credentials of a bucket; Compose passes those that are set. */
const credentialNames = {
  S3: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION"],
  "Google Cloud Storage": ["GOOGLE_APPLICATION_CREDENTIALS"],
  Azure: ["AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY"],
} as const;

const gpus = `
  deploy:
    resources:
      reservations:
        devices:
          - driver: nvidia
            count: all
            capabilities:
              - gpu`;
