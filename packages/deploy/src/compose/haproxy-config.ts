import type { Rollout } from "../deploy-settings.ts";
import { openMethods, openPaths } from "../open-methods.ts";
import type { ProxiedServer } from "./proxied-server.ts";

/** Where HAProxy listens, and how it looks up the servers. */
export interface ProxyAddresses {
  readonly http: string;
  readonly grpc: string;
  readonly admin: string;
  /** Name server that knows the hosts; undefined if they are addresses. */
  readonly nameserver: string | undefined;
}

/** In Compose, the servers are containers, which Docker's name server knows. */
export const composeAddresses: ProxyAddresses = {
  http: ":8000",
  grpc: ":8001",
  admin: "ipv4@127.0.0.1:9999",
  nameserver: "127.0.0.11:53",
};

/** `compose/haproxy.cfg`: chooses a server for each request, over HTTP and gRPC. */
export const haproxyConfig = (
  servers: readonly ProxiedServer[],
  { longestRequest }: Pick<Rollout, "longestRequest">,
  { http, grpc, admin, nameserver }: ProxyAddresses = composeAddresses,
): string => {
  const resolved = nameserver === undefined ? "" : " resolvers docker init-addr libc,none";
  return `# Written by \`pipeline deploy\`, which overwrites it.
global
  log stdout format raw local0
  # For taking servers out of rotation before they stop; only processes in this container can reach it.
  stats socket ${admin} level admin

defaults
  mode http
  log global
  option httplog
  timeout connect 2s
  # A busy host may answer checks late.
  timeout check 2s
  timeout client ${longestRequest + 30}s
  timeout server ${longestRequest + 30}s
  timeout http-keep-alive 60s
  # A request that reached no server, or whose connection closed before any byte of an answer, goes to another server.
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
  # A server is chosen for each request, even on reused connections.
  balance leastconn
  # Triton waits for idle connections when it stops, so they are closed soon.
  default-server pool-purge-delay 1s check inter 500ms fall 1 rise 2${resolved}
${nameserver === undefined ? "" : `\nresolvers docker\n  nameserver docker ${nameserver}\n  hold valid 1s\n`}
frontend http
  bind ${http}
  # Only inference, metadata, statistics and health: model control, logs, traces and shared memory stay inside.
  http-request deny unless { path_reg ^(${openPaths.join("|")})$ }
  default_backend http

backend http
  option httpchk GET /v2/health/ready
${servers.map(({ name, host, httpPort }) => `  server ${name} ${host}:${httpPort}`).join("\n")}

frontend grpc
  bind ${grpc} proto h2
${openMethods.map((method) => `  acl open path /inference.GRPCInferenceService/${method}`).join("\n")}
  acl open path /grpc.health.v1.Health/Check
  http-request deny unless open
  default_backend grpc

backend grpc
  option httpchk GET /v2/health/ready
${servers.map(({ name, host, httpPort, grpcPort }) => `  server ${name} ${host}:${grpcPort} proto h2 check port ${httpPort} check-proto h1`).join("\n")}
`;
};
