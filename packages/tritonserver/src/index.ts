export { cacheFolder, type Environment } from "@tritype/wheels";
export type { DockerOptions } from "./docker-command.ts";
export { installTriton } from "./install-triton.ts";
export type { TritonInstallation, WheelInstallation } from "./installation.ts";
export { makeOnnxVariant, type OnnxVariantKind } from "./onnx-variant.ts";
export { withRequirements } from "./with-requirements.ts";
export { type ServeOptions, serveTriton, type TritonServer } from "./serve-triton.ts";
export { tritonserverErrors } from "./errors.ts";
export { type PrintedLine, readPrinted } from "./server-log.ts";
