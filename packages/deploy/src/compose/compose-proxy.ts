import type { DeploySettings } from "../deploy-settings.ts";
import { envoyClusters, envoyConfig } from "./envoy-config.ts";
import { haproxyConfig } from "./haproxy-config.ts";
import type { ProxiedServer } from "./proxied-server.ts";

/** The proxy of the Compose file. */
export interface ComposeProxy {
  readonly title: string;
  readonly image: string;
  /** The folder in which the image expects its configuration. */
  readonly folder: string;
  /** A shell command that starts it, as user 1000 with its own /tmp. Default: the image's command. */
  readonly start?: string;
  /** Commands that take the first server out of rotation, and back in. */
  readonly commands: Readonly<Record<"drain" | "ready", readonly string[]>>;
  /** The proxy's configuration: name of the file → text. */
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
      image: "haproxy:3.2.24-alpine",
      folder: "/usr/local/etc/haproxy",
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
      image: "envoyproxy/envoy:v1.40.0",
      folder: "/etc/envoy",
      // A rollout changes the state of servers in this copy of the file.
      start:
        "cp /etc/envoy/clusters.yaml /tmp/clusters.yaml && exec envoy --config-path /etc/envoy/envoy.yaml",
      commands: { drain: set("HEALTHY", "DRAINING"), ready: set("DRAINING", "HEALTHY") },
      files: new Map([
        ["envoy.yaml", envoyConfig(rollout)],
        ["clusters.yaml", envoyClusters(servers)],
      ]),
    };
  },
};
