import type { DeploySettings } from "../deploy-settings.ts";
import { envoyClusters, envoyConfig } from "./envoy-config.ts";
import { haproxyConfig } from "./haproxy-config.ts";
import type { ProxiedServer } from "./proxied-server.ts";

/** The proxy of the Compose file. */
export interface ComposeProxy {
  readonly title: string;
  /** The lines of its service that differ between proxies. */
  readonly service: string;
  /** Commands that take the first server out of rotation, and back in. */
  readonly commands: Readonly<Record<"drain" | "ready", readonly string[]>>;
  /** Its configuration: name of the file → text. */
  readonly files: ReadonlyMap<string, string>;
}

/** The proxies by their names in `deploy.proxy`. */
export const composeProxies: Readonly<
  Record<
    DeploySettings["proxy"],
    (servers: readonly ProxiedServer[], settings: DeploySettings) => ComposeProxy
  >
> = {
  haproxy: (servers, { rollout }) => {
    const set = (name: string): readonly string[] => [
      `${name}='set server http/triton-1 state ${name}; set server grpc/triton-1 state ${name}'`,
      `docker compose exec haproxy sh -c "echo '$${name}' | nc 127.0.0.1 9999"`,
    ];
    return {
      title: "HAProxy",
      service: `  haproxy:
    image: haproxy:3.2-alpine
    volumes:
      - ./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro`,
      commands: { drain: set("drain"), ready: set("ready") },
      files: new Map([["haproxy.cfg", haproxyConfig(servers, rollout)]]),
    };
  },
  envoy: (servers, { rollout }) => {
    const set = (from: string, to: string): readonly string[] => [
      `docker compose exec envoy sed -i '/# triton-1$/s/${from}/${to}/' /tmp/clusters.yaml`,
    ];
    return {
      title: "Envoy",
      service: `  envoy:
    image: envoyproxy/envoy:v1.40.0
    user: 1000:1000
    # It reads a copy, in which a rollout changes the state of servers.
    entrypoint:
      - sh
      - -c
      - cp /etc/envoy/clusters.yaml /tmp/clusters.yaml && exec envoy --config-path /etc/envoy/envoy.yaml
    volumes:
      - ./envoy.yaml:/etc/envoy/envoy.yaml:ro
      - ./clusters.yaml:/etc/envoy/clusters.yaml:ro
    tmpfs:
      - /tmp`,
      commands: { drain: set("HEALTHY", "DRAINING"), ready: set("DRAINING", "HEALTHY") },
      files: new Map([
        ["envoy.yaml", envoyConfig(rollout)],
        ["clusters.yaml", envoyClusters(servers)],
      ]),
    };
  },
};
