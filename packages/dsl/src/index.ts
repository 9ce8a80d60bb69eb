export type {
  Dim,
  Dims,
  DType,
  OptionalTensorType,
  Signature,
  StreamTensorType,
  TensorType,
} from "@tritype/core";
export type { CallSite } from "./call-site.ts";
export {
  defineConfig,
  type DeployConfig,
  type DeployRollout,
  type DriftGate,
  type DriftGateLimits,
  type PipelineConfig,
} from "./define-config.ts";
export {
  bf16,
  bool,
  bytes,
  type DTypeName,
  fp16,
  fp32,
  fp64,
  int8,
  int16,
  int32,
  int64,
  optional,
  uint8,
  uint16,
  uint32,
  uint64,
} from "./dtype-name.ts";
export {
  type BatchBy,
  defineEnsemble,
  type Ensemble,
  type EnsembleOptions,
  type Members,
} from "./ensemble.ts";
export { type DetokenizerOptions, detokenizer } from "./detokenizer.ts";
export { einsum } from "./einsum.ts";
export {
  batchStep,
  type FunctionEngine,
  type FunctionOptions,
  type NodePermissions,
  step,
} from "./function-step.ts";
export {
  type CallError,
  type Callees,
  type CallInputs,
  type CallOutputs,
  flow,
  type FlowOptions,
  type Uses,
} from "./flow.ts";
export { concat, constant, l2Normalize, lookup, meanPool, stream, where } from "./functions.ts";
export {
  generate,
  type GenerateOptions,
  type GenerateParameter,
  type GenerateSearch,
  type GenerateText,
} from "./generate.ts";
export { json, type JsonTensorType } from "./json.ts";
export type {
  OpenvinoParameters,
  TensorrtModelParameters,
  TorchscriptParameters,
} from "./model-fields/backend-parameters.ts";
export { type CustomOptions, custom } from "./custom.ts";
export type { Duration } from "./model-fields/duration.ts";
export type { DynamicBatching, QueuePolicy } from "./model-fields/dynamic-batching.ts";
export type {
  InstanceGroup,
  RateLimiter,
  RateLimiterResource,
  SecondaryDevice,
} from "./model-fields/instance-group.ts";
export type { MetricControl } from "./model-fields/metric-control.ts";
export type {
  ModelFields,
  RepositoryAgent,
  VersionPolicy,
} from "./model-fields/model-fields.ts";
export type {
  ModelWarmup,
  WarmupData,
  WarmupFields,
  WarmupInput,
  WarmupSample,
} from "./model-fields/model-warmup.ts";
export type {
  Accelerator,
  CpuAccelerator,
  CudaParameters,
  GpuAccelerator,
  TensorrtParameters,
} from "./model-fields/accelerator.ts";
export type { Optimization } from "./model-fields/optimization.ts";
export type {
  EnsembleProfile,
  MemberProfile,
  ProfileFields,
  ProjectProfile,
} from "./model-fields/profile-fields.ts";
export type {
  InitialState,
  SequenceBatching,
  SequenceControl,
  SequenceState,
} from "./model-fields/sequence-batching.ts";
export type { BatchInput, BatchOutput, InputFields, OutputFields } from "./model-fields/tensor-fields.ts";
export { type BackendOptions, type ModelFile, onnx } from "./onnx.ts";
export type { BatchInputs, BatchOutputs, RowInputs, RowOutputs } from "./run-values.ts";
export { type OpenvinoOptions, openvino } from "./openvino.ts";
export { type PythonOptions, type PythonParameters, type PythonSource, python } from "./python.ts";
export { type Runner, useRunner } from "./runner.ts";
export type { ServedModel } from "./served-model.ts";
export type { StandInFields, StandInProfile } from "./stand-in.ts";
export { type PlanBuild, type PlanSizes, type TensorrtOptions, tensorrt } from "./tensorrt.ts";
export { type TorchscriptOptions, torchscript } from "./torchscript.ts";
export { collectDefinitions } from "./definitions.ts";
export {
  calledRecords,
  isCalledByClients,
  makeStep,
  recordOf,
  type Step,
  type StepOptions,
} from "./step.ts";
export type { AnyTensor } from "./any-tensor.ts";
export type { LabelTable, PadOptions, StreamTensor, Tensor } from "./tensor.ts";
export { type Padding, type TokenizerLanguages, type TokenizerOptions, tokenizer } from "./tokenizer.ts";
export type {
  NodeRef,
  NotATensor,
  StepRecord,
  Trace,
  TraceInput,
  TraceNode,
  TraceOperator,
  TraceStep,
} from "./trace.ts";
export type {
  ArrayOf,
  ElementOf,
  InferInputs,
  InferOutputs,
  NdArray,
  Request,
  RunResult,
  ShapedElements,
  StreamedRun,
  Streaming,
  TensorInput,
  TensorValue,
} from "./values.ts";
export type { VersionedStep, Versions } from "./versions.ts";
export { when } from "./when.ts";
export type { AnyHandles, Wires } from "./wires.ts";
export { dslError, dslErrors } from "./errors.ts";
