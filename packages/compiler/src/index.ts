export { builtInKinds, type Compilation, type CompileOptions, compile } from "./compile.ts";
export type { CompilerHost } from "./compiler-host.ts";
export { compilerDiagnostics } from "./diagnostics.ts";
export {
  type Manifest,
  type ManifestEnsemble,
  type ManifestModel,
  type ManifestTensor,
  type ManifestTwin,
  manifestFormatVersion,
  manifestJsonSchema,
  manifestSchema,
} from "./manifest.ts";
export { onnxDiagnostics } from "./onnx/onnx-diagnostics.ts";
export { type ProjectFile, parseSite } from "./graph/parse-site.ts";
export type { StepContext, StepKind, StepModel, Twin } from "./step-kind.ts";
export { textFile, type Tree, type TreeFile } from "./tree.ts";
export {
  specialCount,
  type TemplatePart,
  type TokenTemplate,
  tokenTemplate,
} from "./tokenizer/token-template.ts";
export { tokenizerDiagnostics } from "./tokenizer/tokenizer-diagnostics.ts";
export { tokenizerKind } from "./tokenizer/tokenizer-kind.ts";
export {
  type PadToken,
  type TokenizerPadding,
  type TokenizerStepOptions,
  type TokenizerTwinOptions,
  tokenizerOptionsSchema,
  tokenizerTwinSchema,
} from "./tokenizer/tokenizer-options.ts";
