export { backendDTypes } from "./backend-dtypes.ts";
export { backendParameters, graphLevel, meantParameter } from "./backend-parameters.ts";
export { modelConfigSchema } from "./config-schema.ts";
export { fitsDims } from "./fits-dims.ts";
export { labelsIn } from "./labels-in.ts";
export { faultTexts } from "./fault-texts.ts";
export { cacheFoldersOf } from "./cache-folders.ts";
export { activeInstances, instancesOf } from "./instances-of.ts";
export type {
  BatchInput,
  BatchInputKind,
  BatchOutput,
  DataType,
  ModelConfig,
  ModelDynamicBatching,
  ModelEnsembling,
  ModelEnsemblingStep,
  ModelInput,
  ModelInstanceGroup,
  ModelMetrics,
  ModelOperations,
  ModelOptimizationPolicy,
  ModelOutput,
  ModelParameter,
  ModelQueuePolicy,
  ModelRateLimiter,
  ModelRepositoryAgents,
  ModelResponseCache,
  ModelSequenceBatching,
  ModelTensorReshape,
  ModelTransactionPolicy,
  ModelVersionPolicy,
  ModelWarmup,
  ModelWarmupInput,
} from "./generated/model-config.ts";
export { type ConfigProblem, parseModelConfig } from "./parse-model-config.ts";
export { parseAroundProblems } from "./parse-around-problems.ts";
export { printModelConfig } from "./print-model-config.ts";
export { completeModelConfig, type ModelSurroundings } from "./complete-model-config.ts";
export { configMessage, fieldPlaces } from "./config-messages.ts";
export {
  type BatchDecision,
  batchLimits,
  type BatchLimits,
  decideBatch,
  type QueuedRequest,
} from "./decide-batch.ts";
export { lowerDuration } from "./duration.ts";
export { lowerModelFields, optionName } from "./lower-model-fields.ts";
export { inOptionTerms } from "./option-terms.ts";
export { type FieldLocator, type FieldPath, locateFields } from "./locate-fields.ts";
export { modelConfigFromJson } from "./model-config-from-json.ts";
export { modelConfigToJson } from "./model-config-to-json.ts";
export { type NewerField, newerFields } from "./new-fields.ts";
export { containerOf, type TritonContainer } from "./container.ts";
export {
  acceleratorParameterHelp,
  acceleratorValueProblem,
  type OnnxAccelerator,
  onnxAccelerators,
  tensorrtParameters,
} from "./accelerators.ts";
export { firstWithKernel, lacksKernel } from "./onnx-kernels.ts";
export { type OperatorProblem, operatorProblem } from "./onnx-operators.ts";
export { isOnnx } from "./infer-backend.ts";
export { isDecoupled } from "./is-decoupled.ts";
export { isBoolean, readInteger } from "./parameter-value.ts";
export { checkModelName, checkProfileName } from "./model-name.ts";
export { neededBackend } from "./needed-backend.ts";
export { needsGpu } from "./needs-gpu.ts";
export { servedVersions } from "./served-versions.ts";
export { byVersion, versionsToServe } from "./version-folders.ts";
export { stepModels } from "./step-models.ts";
export { stepVersion } from "./step-version.ts";
export {
  defaultRelease,
  httpBodyLimitSince,
  outlivesFailures,
  profilesSince,
  releaseOf,
  releases,
  type TritonRelease,
} from "./releases.ts";
