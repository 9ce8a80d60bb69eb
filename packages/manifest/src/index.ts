export { type CollateTwinOptions, collateTwinSchema } from "./collate-options.ts";
export {
  cleanUpReplacements,
  type DetokenizerStepOptions,
  type DetokenizerTwinOptions,
  detokenizerForms,
  detokenizerOptionsSchema,
  detokenizerTwinSchema,
} from "./detokenizer-options.ts";
export {
  type CacheLink,
  type EmptyCache,
  type ExportedModel,
  type ExportedPart,
  type GenerateSettings,
  type GenerateTwinOptions,
  generateTwinSchema,
  type StreamedText,
  type StreamingOptions,
  streamTwinSchema,
  type TextSettings,
} from "./generate-options.ts";
export {
  functionFiles,
  type FunctionTensor,
  type FunctionTwinOptions,
  functionTwinSchema,
} from "./function-options.ts";
export {
  type NodeCallee,
  nodeFiles,
  type NodePermissions,
  type NodeTwinOptions,
  nodeTwinSchema,
} from "./node-options.ts";
export {
  type Manifest,
  type ManifestDriftFigures,
  type ManifestDriftProof,
  type ManifestEnsemble,
  type ManifestFunction,
  type ManifestModel,
  type ManifestPackage,
  type ManifestPaddingProof,
  type ManifestTensor,
  type ManifestTwin,
  type ManifestWarmupRequest,
  type ManifestWarmupTensor,
  type ManifestVersion,
  manifestFormatVersion,
  manifestJsonSchema,
  manifestSchema,
  type ManifestValues,
} from "./manifest.ts";
export { specialCount, type TemplatePart, type TokenTemplate, tokenTemplate } from "./token-template.ts";
export {
  addedLength,
  type LanguageChoice,
  type Languages,
  type PadToken,
  type Side,
  type TokenizerPadding,
  type TokenizerStepOptions,
  type TokenizerTwinOptions,
  tokenizerForms,
  tokenizerOptionsSchema,
  tokenizerTwinSchema,
} from "./tokenizer-options.ts";
export type { ManifestChat, ManifestTextModel } from "./text-model.ts";
export { type StandInTwinOptions, standInTwin, standInTwinSchema } from "./stand-in.ts";
