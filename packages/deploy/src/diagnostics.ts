export { checkDeployment, deployDiagnostics, splittingPlatforms } from "./check-deployment.ts";
export { modelStorageForm, readModelStorage } from "./model-storage.ts";
export { passingNames, preparedPaths, serverName } from "./deployed-build.ts";
export { latencyRule } from "./smoke/latency-rule.ts";
export { type DeployConfig, type DeploySettings, deploySettings } from "./deploy-settings.ts";
