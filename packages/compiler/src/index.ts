export { type Compilation, type CompiledBuild, type CompileOptions, compile } from "./compile.ts";
export { type FormFault, formFaults, knownNames } from "./check/form-faults.ts";
export { backendDiagnostics } from "./backends/backend-diagnostics.ts";
export type { AppendOptions } from "./emit/emitted-model.ts";
export type { ConfiguredModel, EmittedRepository } from "./emit/emitted-repository.ts";
export type { FieldPlace } from "./emit/field-places.ts";
export { emitVersions, readVersions, type ReadVersions } from "./authored-versions.ts";
export { collateDiagnostics } from "./collate/collate-diagnostics.ts";
export { type CollatedEnsemble, paddingChangesAnswers } from "./collate/collated-ensemble.ts";
export type { CompilerHost, HostFile } from "./compiler-host.ts";
export type { DockerOptions } from "./emit/docker/docker-options.ts";
export { detokenizerDiagnostics } from "./detokenizer/detokenizer-diagnostics.ts";
export { detokenizerKind } from "./detokenizer/detokenizer-kind.ts";
export { compilerDiagnostics } from "./diagnostics.ts";
export { onnxDiagnostics } from "./onnx/onnx-diagnostics.ts";
export {
  entryWithoutEnsemble,
  tensorCondition,
  typeError,
  unexportedEnsemble,
  unusedStep,
} from "./source-findings.ts";
export { functionDiagnostics } from "./function/function-diagnostics.ts";
export { functionKinds, translationRequest, typesRequest } from "./function/function-kind.ts";
export type {
  BundledFunction,
  BundledPackage,
  BundleRequest,
  NativePackage,
  NodeProblem,
} from "./node/bundle.ts";
export {
  defaultFunctions,
  engineOf,
  type FunctionSettings,
  nodeMajors,
} from "./node/function-settings.ts";
export { bundleDiagnostics } from "./node/bundle-diagnostics.ts";
export { nodeDiagnostics } from "./node/node-diagnostics.ts";
export { bundleRequest } from "./node/node-function.ts";
export { generateDiagnostics } from "./generate/generate-diagnostics.ts";
export { generateKind } from "./generate/generate-kind.ts";
export { refusalDiagnostics } from "./function/refusal-diagnostics.ts";
export type { StepTranslation, TranslateOptions, TranslationRequest } from "./function/translation.ts";
export { decoupledIn } from "./graph/find-streams.ts";
export { type ProjectFile, parseSite } from "./graph/parse-site.ts";
export { optionSpan, readOptionPlaces } from "./graph/read-option-places.ts";
export { chatFormat } from "./tokenizer/chat-format.ts";
export { type PluginPlaces, pluginKind } from "./plugin-kind.ts";
export { pythonDiagnostics } from "./python/python-diagnostics.ts";
export type { Profiles } from "./profiles/in-profile.ts";
export type {
  AcceptedValues,
  Found,
  MadeTokens,
  ModelOptions,
  FormIssue,
  OptionFault,
  OptionForm,
  OptionForms,
  ReadStep,
  StepContext,
  Refusals,
  StepKind,
  StepModel,
  StepVersion,
  TakenTokens,
  Twin,
} from "./step-kind.ts";
export { fileBytes, fileSize, hashFile, textFile, type Tree, type TreeFile } from "./tree.ts";
export { tokenDiagnostics } from "./check/token-diagnostics.ts";
export { printPython, type PythonTemplate } from "./python-template.ts";
export { tokenizerDiagnostics } from "./tokenizer/tokenizer-diagnostics.ts";
export type { CapturedRequest, CapturedTensor, CapturedWarmup } from "./warmup/captured-warmup.ts";
export { type EnsembleSample, sampleFailed } from "./warmup/ensemble-samples.ts";
export { warmupDiagnostics } from "./warmup/warmup-diagnostics.ts";
export { tokenizerKind } from "./tokenizer/tokenizer-kind.ts";
