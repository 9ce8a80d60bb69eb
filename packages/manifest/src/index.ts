export { type ChainTwinOptions, chainTwinSchema } from "./chain-options.ts";
export { type CollateTwinOptions, collateTwinSchema } from "./collate-options.ts";
export {
  cleanUpReplacements,
  type DetokenizerTwinOptions,
  detokenizerForms,
  detokenizerOptionsSchema,
  detokenizerTwinSchema,
} from "./detokenizer-options.ts";
export {
  type EmptyCache,
  type ExportedModel,
  type ExportedPart,
  type GenerateSettings,
  type GenerateTwinOptions,
  generateTwinSchema,
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
  type ManifestModel,
  type ManifestFunction,
  type ManifestPackage,
  type ManifestPaddingProof,
  type ManifestTensor,
  type ManifestTwin,
  type ManifestWarmupRequest,
  manifestFormatVersion,
  manifestJsonSchema,
  manifestSchema,
  type ManifestValues,
} from "./manifest.ts";
export { modelsRunBy } from "./models-run-by.ts";
export { parseManifest } from "./parse-manifest.ts";
export { runsPerRequest } from "./runs-per-request.ts";
export { specialCount, type TemplatePart, type TokenTemplate, tokenTemplate } from "./token-template.ts";
export {
  addedLength,
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
export { staysInside } from "./stays-inside.ts";
export type { ManifestChat, ManifestTextModel } from "./text-model.ts";
export { standInTwin, standInTwinSchema } from "./stand-in.ts";
