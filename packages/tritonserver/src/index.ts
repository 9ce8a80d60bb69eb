export { cacheFolder, type Environment } from "./cache-folder.ts";
export { dockerCommand, dockerImage, type DockerOptions } from "./docker-command.ts";
export type { ServerPorts } from "./free-ports.ts";
export { type InstallOptions, installTriton, tritonMissing } from "./install-triton.ts";
export type { DockerInstallation, TritonInstallation, WheelInstallation } from "./installation.ts";
export type { ServerBehaviour } from "./server-arguments.ts";
export { type ServeOptions, serveTriton, type TritonServer } from "./serve-triton.ts";
