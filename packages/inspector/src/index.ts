export { createInspector, type Inspector, type InspectorOptions, type PlacedFinding } from "./inspector.ts";
export {
  createRecorder,
  type RecordedTensor,
  type RecordLimits,
  type RequestRecorder,
} from "./record-request.ts";
export { type Call, type Content, inspectorPath, type Recording } from "./api.ts";
