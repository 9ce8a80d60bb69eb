export type { DeployedBuild, DeployedModel } from "./deployed-build.ts";
export { emitDeployment } from "./emit-deployment.ts";
export { type EnvoyAddresses, envoyClusters, envoyConfig } from "./compose/envoy-config.ts";
export { haproxyConfig } from "./compose/haproxy-config.ts";
export type { ProxiedServer } from "./compose/proxied-server.ts";
export {
  fittingSamples,
  type MeasuredEnsemble,
  type SmokeMeasurement,
  smokePath,
  type SmokeTensors,
} from "./smoke/smoke-file.ts";
export { type ServedGroup, servedGroups } from "./served-groups.ts";
