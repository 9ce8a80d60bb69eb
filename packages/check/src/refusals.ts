// The rules that a server needs in order to refuse what Triton refuses. Rules about Python code are omitted, because
// their parser takes time to load.
export type { ModelContext } from "./model-context.ts";
export { completeForGraph, failsToComplete } from "./completion/complete-onnx.ts";
export { onnxFiles, type OnnxGraph } from "./model/onnx-file.ts";
export { ensembleRefusal, type LoadedMember } from "./read/ensemble-refusal.ts";
export { firstVersionFiles, makeContext, type ModelSource } from "./model/make-context.ts";
export {
  type AllowedCodes,
  loadRefusal,
  pollRefusal,
  type Refusal,
  tensorRefusal,
} from "./read/model-refusals.ts";
