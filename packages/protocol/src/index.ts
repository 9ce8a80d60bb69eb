export { errorTextOf } from "./error-text.ts";
export { type GenerateBody, generateRequestSteps } from "./generate-request.ts";
export { generateResponseSteps } from "./generate-response.ts";
export {
  grpcInferRequest,
  grpcInferResponse,
  readGrpcInferRequest,
  readGrpcInferResponse,
} from "./grpc-infer.ts";
export type { GrpcInferRequest, GrpcInferResponse, GrpcParameters, GrpcTensor } from "./grpc-messages.ts";
export { grpcInferMessageSteps } from "./grpc-message-steps.ts";
export { type GrpcMethod, grpcMethod, grpcMethodNames, type MessageCodec } from "./grpc-service.ts";
export type { InferRequest, InferResponse, Parameter, Parameters } from "./infer.ts";
export {
  defaultMaxInputBytes,
  type InferBody,
  inferRequestSteps,
  type InferRequestMessage,
  type ParsedInferRequest,
  parseInferRequest,
  printInferRequest,
  requireHeaderLength,
} from "./infer-request.ts";
export { headerLengthName, type InferMessage } from "./infer-message.ts";
export { inferResponseSteps, parseInferResponse, printInferResponse } from "./infer-response.ts";
export { printJsonData } from "./json-data.ts";
export type {
  ModelMetadata,
  ModelStatistics,
  ServerMetadata,
  StatisticDuration,
  TensorMetadata,
} from "./metadata.ts";
export type { OutputFormat } from "./output-format.ts";
export { parseModelMetadata, parseModelStatistics, parseServerMetadata } from "./parse-metadata.ts";
export { printRawData } from "@tritype/core";
export { readRawData, type TensorOwner } from "./raw-data.ts";
export { parseRawRequest, type RawBody } from "./raw-request.ts";
export {
  type GrpcRepositoryParameter,
  type GrpcRepositoryParameters,
  type LoadParameters,
  indexRequestSteps,
  loadRequestSteps,
  parseLoadRequest,
  readGrpcLoadParameters,
  readGrpcUnloadParameters,
  unloadRequestSteps,
} from "./repository-request.ts";
export { readRegionRequest } from "./region-request.ts";
export { type ReadSetting, settingsRequestSteps } from "./settings-request.ts";
export {
  type JsonKind,
  type JsonValue,
  jsonArray,
  jsonBool,
  jsonString,
  jsonUnsigned,
} from "./json-value.ts";
export { type RegionPart, type SharedTensors, unknownRegion } from "./shared-tensors.ts";
export { finish, type Steps } from "./steps.ts";
export { errorOfGrpcStatus, errorOfHttpStatus, grpcStatusOf, httpStatusOf } from "./status.ts";
export {
  type DecodedTensor,
  type ElementArray,
  explainRefusal,
  type ReadingRules,
  requestTensors,
  responseValues,
} from "./tensor-values.ts";
export { protocolErrors } from "./errors.ts";
