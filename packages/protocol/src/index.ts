export { bindDims, type NamedSizes } from "./bind-dims.ts";
export { errorTextOf } from "./error-text.ts";
export { generateRequestSteps } from "./generate-request.ts";
export { generateResponseSteps } from "./generate-response.ts";
export {
  grpcInferRequest,
  grpcInferResponse,
  grpcReplySteps,
  readGrpcInferRequest,
  readGrpcInferResponse,
} from "./grpc-infer.ts";
export type { GrpcInferRequest, GrpcInferResponse } from "./grpc-messages.ts";
export { grpcInferMessageSteps } from "./grpc-message-steps.ts";
export { grpcMethod, grpcMethodNames, type MessageCodec } from "./grpc-service.ts";
export type { InferRequest, InferResponse, Parameter, Parameters } from "./infer.ts";
export {
  defaultMaxInputBytes,
  inferRequestSteps,
  type InferRequestMessage,
  printInferRequest,
  requireHeaderLength,
  parseInferRequest,
} from "./infer-request.ts";
export { headerLengthName, type InferMessage } from "./infer-message.ts";
export { inferResponseSteps, parseInferResponse, printInferResponse } from "./infer-response.ts";
export { printJsonData } from "./json-data.ts";
export type {
  ModelMetadata,
  ModelStatistics,
  RepositoryEntry,
  ServerMetadata,
  TensorMetadata,
} from "./metadata.ts";
export {
  parseModelMetadata,
  parseModelStatistics,
  parseRepositoryIndex,
  parseServerMetadata,
} from "./parse-metadata.ts";
export { printRawData } from "@tritype/core";
export { readRawData } from "./raw-data.ts";
export { parseRawRequest } from "./raw-request.ts";
export {
  type GrpcRepositoryParameters,
  type LoadParameters,
  indexRequestSteps,
  loadRequestSteps,
  readGrpcLoadParameters,
  readGrpcUnloadParameters,
  unloadRequestSteps,
} from "./repository-request.ts";
export { checkCudaRegionRequest, readRegionRequest } from "./region-request.ts";
export { type ReadSetting, settingsRequestSteps } from "./settings-request.ts";
export {
  JsonDouble,
  type JsonKind,
  type JsonValue,
  jsonArray,
  jsonBool,
  jsonString,
  jsonUnsigned,
} from "./json-value.ts";
export { printParameter } from "./request-parameters.ts";
export { noSharedTensors, type RegionPart, type SharedTensors, unknownRegion } from "./shared-tensors.ts";
export { concatSteps, finish, type Steps } from "./steps.ts";
export { errorOfGrpcStatus, errorOfHttpStatus, grpcStatusOf, httpStatusOf } from "./status.ts";
export { explainRefusal, requestTensors, responseValues } from "./tensor-values.ts";
export { protocolErrors } from "./errors.ts";
