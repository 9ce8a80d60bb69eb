export { cacheFolder, type Environment } from "@tritype/wheels";
export { dockerCommand, dockerImage, type DockerOptions } from "./docker-command.ts";
export type { ServerPorts } from "./free-ports.ts";
export { installTriton, tritonMissing } from "./install-triton.ts";
export type {
  DockerInstallation,
  InstallOptions,
  TritonInstallation,
  WheelInstallation,
} from "./installation.ts";
export { makeOnnxVariant, type OnnxVariantKind, onnxVariantCalls } from "./onnx-variant.ts";
export type { ServerBehaviour } from "./server-arguments.ts";
export { furtherRequirements, withRequirements } from "./with-requirements.ts";
export { type ServeOptions, serveTriton, type TritonServer } from "./serve-triton.ts";
export { tritonserverErrors } from "./errors.ts";
