import type { Rollout } from "../deploy-settings.ts";
import { openMethods, openPaths } from "../open-methods.ts";
import type { ProxiedServer } from "./proxied-server.ts";

/** Where Envoy listens, and the file that lists the servers; Envoy reads the file again when it is replaced. */
export interface EnvoyAddresses {
  readonly address: string;
  readonly http: number;
  readonly grpc: number;
  readonly clusters: string;
}

/** In Compose, Envoy reads a copy of the file, inside the container. */
const composeAddresses: EnvoyAddresses = {
  address: "0.0.0.0",
  http: 8000,
  grpc: 8001,
  clusters: "/tmp/clusters.yaml",
};

/** `compose/envoy.yaml`: the requests that Envoy forwards, over HTTP and gRPC. */
export const envoyConfig = (
  { longestRequest }: Pick<Rollout, "longestRequest">,
  { address, http, grpc, clusters }: EnvoyAddresses = composeAddresses,
): string => {
  const listener = (name: string, port: number, paths: readonly string[]): string => `
    - name: ${name}
      address: { socket_address: { address: ${address}, port_value: ${port} } }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                '@type': ${extension}filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: ${name}
                access_log:
                  - name: envoy.access_loggers.stdout
                    typed_config: { '@type': ${extension}access_loggers.stream.v3.StdoutAccessLog }
                # Time without a byte in either direction.
                stream_idle_timeout: ${longestRequest + 30}s
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config: { '@type': ${extension}filters.http.router.v3.Router }
                route_config:
                  validate_clusters: false # they come from the other file
                  virtual_hosts:
                    - name: ${name}
                      domains: ['*']
                      # Only requests that did not reach a server are repeated, on another server.
                      retry_policy:
                        retry_on: connect-failure,refused-stream,reset-before-request
                        num_retries: 3
                        host_selection_retry_max_attempts: 5
                        retry_host_predicate:
                          - name: envoy.retry_host_predicates.previous_hosts
                            typed_config: { '@type': ${extension}retry.host.previous_hosts.v3.PreviousHostsPredicate }
                      routes:
${paths.map((path) => `                        - { match: { ${path} }, route: { cluster: ${name}, timeout: 0s } }\n`).join("")}                        - { match: { prefix: / }, direct_response: { status: 403 } }`;
  return `# Written by \`pipeline deploy\`, which overwrites it.
node: { id: envoy, cluster: envoy }

dynamic_resources:
  cds_config:
    path_config_source: { path: ${clusters} }

static_resources:
  # Only inference, metadata, statistics and health: model control, logs, traces and shared memory stay inside.
  listeners:${listener(
    "http",
    http,
    openPaths.map((path) => `safe_regex: { regex: '${path}' }`),
  )}${listener(
    "grpc",
    grpc,
    [
      ...openMethods.map((method) => `/inference.GRPCInferenceService/${method}`),
      "/grpc.health.v1.Health/Check",
    ].map((path) => `path: ${path}`),
  )}
`;
};

/** `compose/clusters.yaml`: the servers. */
export const envoyClusters = (servers: readonly ProxiedServer[]): string => {
  const cluster = (name: string, rest: string, endpoint: (server: ProxiedServer) => string): string => `
  - '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster
    name: ${name}
    cluster_type:
      name: envoy.cluster.dns
      typed_config:
        '@type': ${extension}clusters.dns.v3.DnsCluster
        dns_lookup_family: V4_PREFERRED
        dns_refresh_rate: 1s
    connect_timeout: 2s
    lb_policy: LEAST_REQUEST
    # Servers that are not ready get requests only if none is: a machine may be too busy to answer the checks in time.
    common_lb_config: { healthy_panic_threshold: { value: 1 } }
    # Requests queue in Triton, which knows their batches.
    circuit_breakers:
      thresholds: [{ max_connections: 65536, max_pending_requests: 65536, max_requests: 65536, max_retries: 1024 }]
    health_checks:
      - interval: 0.5s
        no_traffic_interval: 0.5s
        timeout: 2s
        unhealthy_threshold: 1
        healthy_threshold: 2
        reuse_connection: false # an open connection would delay the exit of a server
        http_health_check: { path: /v2/health/ready }
${rest}    load_assignment:
      cluster_name: ${name}
      endpoints:
        - lb_endpoints:
${servers.map((server) => `            - health_status: HEALTHY # ${server.name}\n              endpoint: ${endpoint(server)}\n`).join("")}`;
  const at = ({ host }: ProxiedServer, port: number): string =>
    `address: { socket_address: { address: ${host}, port_value: ${port} } }`;
  const http2 = `    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        '@type': ${extension}upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: { http2_protocol_options: {} }
`;
  return `# Written by \`pipeline deploy\`, which overwrites it.
resources:${cluster("http", "", (server) => `{ ${at(server, server.httpPort)} }`)}${cluster(
    "grpc",
    http2,
    (server) => `{ ${at(server, server.grpcPort)}, health_check_config: { port_value: ${server.httpPort} } }`,
  )}`;
};

const extension = "type.googleapis.com/envoy.extensions.";
