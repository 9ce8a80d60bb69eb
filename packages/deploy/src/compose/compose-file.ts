import { type DeployedBuild, deploymentName } from "../deployed-build.ts";
import type { DeploySettings } from "../deploy-settings.ts";
import { buildName } from "../model-storage.ts";
import { resourcesOf, usesCache } from "../resources.ts";
import type { ProxiedServer } from "./haproxy-config.ts";

/** The servers of the Compose file. */
export const composeServers = ({ replicas }: DeploySettings): readonly ProxiedServer[] =>
  Array.from({ length: Math.max(2, replicas) }, (_, index) => {
    const name = `triton-${index + 1}`;
    return { name, host: name, httpPort: 8000, grpcPort: 8001 };
  });

/** `compose/compose.yaml`: several servers on one host, behind HAProxy. */
export const composeFile = (build: DeployedBuild, settings: DeploySettings): string => {
  const { rollout } = settings;
  const { sharedMemory, needsGpu } = resourcesOf(build, undefined);
  const servers = composeServers(settings);
  const { models } = settings;
  const repository = models.kind === "bucket" ? `${models.url}/${buildName(build.hash)}` : "/models";
  const fromImage =
    models.kind === "claim" || models.kind === "oci"
      ? "# These servers load the models in the image, because Compose has neither claims nor image volumes.\n#\n"
      : "";
  const credentials = models.kind === "bucket" ? credentialNames[models.service] : [];
  return `# Several servers of one build on one host, behind HAProxy. Written by \`pipeline deploy\`, which overwrites it.
#
#   TRITON_IMAGE=registry.example/embed@sha256:… docker compose up --detach
#
# To switch to another image, replace one server after another:
#   drain='set server http/triton-1 state drain; set server grpc/triton-1 state drain'
#   docker compose exec haproxy sh -c "echo '$drain' | nc 127.0.0.1 9999"
#   sleep ${rollout.drain}
#   TRITON_IMAGE=registry.example/embed@sha256:… docker compose up --detach --no-deps --wait triton-1
#   ready='set server http/triton-1 state ready; set server grpc/triton-1 state ready'
#   docker compose exec haproxy sh -c "echo '$ready' | nc 127.0.0.1 9999"
#
${fromImage}# For traces, set TRITON_TRACES=http://collector:4318/v1/traces.
x-triton: &triton
  image: \${TRITON_IMAGE:?set it to the image of the build, with its digest}
  environment:
    - TRITON_TRACES${credentials.map((name) => `\n    - ${name}`).join("")}
  command:
    - sh
    - -c
    - |
      exec tritonserver "$$@" $\${TRITON_TRACES:+--trace-config=mode=opentelemetry --trace-config=level=TIMESTAMPS
        --trace-config=rate=100 --trace-config=opentelemetry,url=$$TRITON_TRACES
        --trace-config=opentelemetry,resource=service.name=${deploymentName(build.manifest)}}
    - tritonserver
    - --model-repository=${repository}
    - --disable-auto-complete-config
    - --model-control-mode=none
    - --exit-timeout-secs=${rollout.exitTimeout}${usesCache(build) ? "\n    - --cache-config=local,size=268435456" : ""}
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
    - /tmp:exec # packed Python environments are unpacked there

name: ${deploymentName(build.manifest)}

services:
  haproxy:
    image: haproxy:3.2-alpine
    volumes:
      - ./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro
    ports:
      - '\${TRITON_ADDRESS:-127.0.0.1}:8000:8000' # HTTP
      - '\${TRITON_ADDRESS:-127.0.0.1}:8001:8001' # gRPC
    restart: unless-stopped
    cap_drop:
      - ALL
    read_only: true
    security_opt:
      - no-new-privileges:true

${servers.map(({ name }) => `  ${name}:\n    <<: *triton`).join("\n")}
`;
};

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
