export type { DeployedBuild, DeployedModel } from "./deployed-build.ts";
export { emitDeployment } from "./emit-deployment.ts";
export { haproxyConfig, type ProxiedServer } from "./compose/haproxy-config.ts";
export { panelsOf } from "./observability/dashboard.ts";
export { queueMetric, queuePerRequest } from "./observability/metrics.ts";
export { type ServedGroup, servedGroups } from "./served-groups.ts";
