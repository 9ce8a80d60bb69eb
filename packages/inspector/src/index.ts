export { createInspector, type Inspector, type InspectorOptions } from "./inspector.ts";
export type { Description, Inspected, StepwiseRecording, StepwiseServer } from "./inspected.ts";
export {
  type CheckedModels,
  inspectRuntime,
  type PlacedFinding,
  type RuntimeSource,
} from "./inspect-runtime.ts";
export {
  type InspectedServer,
  inspectServer,
  type ServerClient,
  type ServerSource,
} from "./inspect-server.ts";
export {
  createRecorder,
  type RecordedTensor,
  type RecordLimits,
  type RequestRecorder,
} from "./record-request.ts";
export {
  type Call,
  type Content,
  type FindingView,
  inspectorPath,
  type PlaceView,
  type Recording,
} from "./api.ts";
export { inspectorError, inspectorErrors } from "./errors.ts";
