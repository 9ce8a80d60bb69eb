export type { DeployedBuild, DeployedModel } from "./deployed-build.ts";
export { emitDeployment } from "./emit-deployment.ts";
export { type EnvoyAddresses, envoyClusters, envoyConfig } from "./compose/envoy-config.ts";
export { haproxyConfig } from "./compose/haproxy-config.ts";
export type { ProxiedServer } from "./compose/proxied-server.ts";
export { panelsOf } from "./observability/dashboard.ts";
export { queueMetric, queuePerRequest } from "./observability/metrics.ts";
export { type ServedGroup, servedGroups } from "./served-groups.ts";
