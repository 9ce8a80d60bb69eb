export { checkDeployment, deployDiagnostics, splittingPlatforms } from "./check-deployment.ts";
export { type DeployConfig, type DeploySettings, deploySettings } from "./deploy-settings.ts";
